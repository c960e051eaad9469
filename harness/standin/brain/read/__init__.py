"""From marks to conditions, one kind at a time; each class builds on the one before it."""
