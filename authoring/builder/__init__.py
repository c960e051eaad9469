"""Builds what is not written by hand: notebooks/ and solutions/ from the py:percent files in
authoring/, the modules of our solutions, and the tables of parts.

Of the harness it knows the table of parts, and how a copy of a notebook tells that it was changed.
"""
