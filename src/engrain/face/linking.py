"""Links between notes: where they lead, which could be made, and what follows when a note is
renamed (S1.11)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.links.checking import LinkReport
    from engrain.engine.links.renaming import Renamed
    from engrain.engine.links.suggestions import Suggestion


class Linking(Base):
    """What keeps every link whole, and finds those that are missing."""

    def check_links(
        self, state: str | None = None, limit: int | None = None, *, quoted: bool = False
    ) -> LinkReport:
        """Look at every link of the vault. Told are those that are not simply resolved, or those of
        one state alone: broken, ambiguous or moved; or the orphans; `limit` of each at most. With
        `quoted` what looks like a link in code and names no note is told too.

        Raises UsageError, IndexUnavailableError.
        """
        from engrain.engine.links.checking import check_links

        return check_links(self._open_store(), state, limit, quoted=quoted)

    def rename(
        self, reference: str, title: str, *, alias: bool = False, dry_run: bool = False
    ) -> Renamed:
        """Give a note another title, and have every link to it say so, in one change. With `alias`
        the old title stays as an alias; a `dry_run` only says what it would do.

        Raises UsageError; ConflictError for a title that another note goes by.
        """
        from engrain.engine.links.renaming import rename_entry

        return rename_entry(self._open_store(), reference, title, alias=alias, dry_run=dry_run)

    def link(
        self, reference: str, target: str, relation: str = "related_to", *, remove: bool = False
    ) -> Outcome:
        """Add or remove a typed link; both ends say it where the relation has an inverse (S2.9).
        Where it says that one entry replaced another of a more trusted origin, both are recalled
        and the operator is asked: `proposals` has what was proposed.

        Raises UsageError, also for what would lead round in a circle.
        """
        outcome = super().link(reference, target, relation, remove=remove)
        if relation in ("supersedes", "superseded_by") and not remove:
            from engrain.lifecycle.upkeep.successions import propose_doubtful

            outcome.proposals = tuple(propose_doubtful(self._ready(), outcome.id))
        return outcome

    def mend_successions(self) -> int:
        """Break circles of entries that replaced one another, which another program or a
        synchroniser made: what says that an earlier entry replaced a later one is taken out, in one
        change; how many files that changed. Raises IndexUnavailableError, ConflictError."""
        from engrain.engine.links.succession_mending import mend_circles

        return mend_circles(self._ready(scan=True))

    def suggest_links(
        self, reference: str | None = None, *, limit: int | None = None, propose: bool = False
    ) -> tuple[Sequence[Suggestion], Sequence[Suggestion]]:
        """The links that could be made, the surest first, from or to one entry if it is named; and
        those of them that were proposed to the operator, where `propose` asks for it: what was
        proposed before is not again. Raises NotFoundError, IndexUnavailableError."""
        from engrain.lifecycle.reviewing.link_proposals import find_suggestions, propose_links

        store = self._open_store()
        found = find_suggestions(store, reference, limit)
        return found, propose_links(store, found) if propose else []
