"""Kinds of question, each in a class of its own that builds on the one before it."""
