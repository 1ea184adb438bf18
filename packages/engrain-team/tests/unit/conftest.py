"""What the tests of commands start from, as those of Engrain's own commands do."""

from __future__ import annotations

from unit.adapters.conftest import away, bare
from unit.engine.conftest import nothing_around

__all__ = ["away", "bare", "nothing_around"]
