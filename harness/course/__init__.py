"""The course: exercises, the runner of their checks, labs, notebook helpers."""
