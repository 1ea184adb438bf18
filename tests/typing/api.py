"""The public names as a caller uses them: read by the type checker, never run."""

from __future__ import annotations

from engrain import open_memory

