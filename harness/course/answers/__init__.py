"""Our answers to the TODOs."""
