"""For the instructor: the notebooks of a whole class, checked and put into one table."""
