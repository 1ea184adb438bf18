from __future__ import annotations

from support.temporary_vaults import nothing_around, open_temporary

__all__ = ["nothing_around", "open_temporary"]
