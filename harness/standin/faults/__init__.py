"""Models that misbehave. A module in this folder is loaded by itself: a fault needs no list."""
