"""The days: what happened when, line by line (S4.2)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.entities.daily import Noted
    from engrain.model.note.entry import Entry


class Daily(Base):
    """The note of the day."""

    def today(self, text: str) -> Noted:
        """Add a text to the note of the day, with the time; from many processes at once none is
        lost. Raises UsageError for a text that says nothing, or has no room in the note."""
        from engrain.engine.entities.daily import append_today

        return append_today(self._open_store(), text)

    def read_today(self) -> tuple[str, Entry | None]:
        """The day it is (YYYY-MM-DD), and its note, None where nothing was said yet."""
        from engrain.engine.entities.daily import read_today

        return read_today(self._open_store())
