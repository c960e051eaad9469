"""Measurements and experiments that notebooks show."""
