"""Maps of contents (S1.8)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.maps.map import Maps


class Mapmaking(Base):
    """Files that tell what there is, for people."""

    def map(self) -> Maps:
        """Bring the maps of contents in step with the entries. Raises ConflictError where others
        keep writing them, IndexUnavailableError, ReadOnlyError."""
        from engrain.engine.maps.map import write_maps

        return write_maps(self._ready(scan=True))

    def check_map(self) -> Maps:
        """What `map` would write and remove. Raises IndexUnavailableError."""
        from engrain.engine.maps.map import check_maps

        return check_maps(self._ready(scan=True))
