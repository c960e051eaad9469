"""Builds what is not written by hand: notebooks/ and solutions/ from the py:percent files in
authoring/, the modules of our solutions, and the tables of parts.

Of the harness it knows one page, the table of parts.
"""
