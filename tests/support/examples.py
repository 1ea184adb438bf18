"""Settings of properties."""

from __future__ import annotations

from hypothesis import HealthCheck

SHARED_FIXTURE = [
    HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.differing_executors,
]  # fmt: skip
"""What is not checked where all examples of a property share a fixture. A list of its own takes the
place of that in `conftest.py`, so without the second a busy machine would fail the property."""
