"""What holds for every suite: assertions that tell what they compared, and no timed tests."""

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("contracts", "support")

# How long an example takes is the machine's affair; `bench` measures.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")
