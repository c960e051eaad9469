"""Builds notebooks/ and solutions/ from the py:percent files in authoring/.

It knows nothing of the harness: a source goes in, two notebooks come out.
"""
