"""`given` for every property test: no clock, which a busy machine fails, and the same examples."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

__all__ = ["given", "settings", "st"]

settings.register_profile(
    "workshop", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("workshop")
