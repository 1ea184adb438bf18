"""Registered before any suite is imported, so that their assertions tell what they compared."""

import pytest

pytest.register_assert_rewrite("contracts", "support")
