"""What the command line does; workshop.py and `python -m harness` lead here."""
