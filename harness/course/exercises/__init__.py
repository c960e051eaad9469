"""One module a TODO: its situations, its findings, its hints."""
