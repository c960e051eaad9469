"""Running a learner's function in a child process that can be ended."""
