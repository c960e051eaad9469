"""Reading traces: the record of an event, the reader, the route of a turn, a review of many."""
