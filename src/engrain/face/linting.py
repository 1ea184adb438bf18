"""Keeping a vault in order: what lint finds and mends, and links that could be made (S1.11)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engrain.engine.link_suggestions import Suggestion
    from engrain.engine.lint.flaw import Flaw
    from engrain.engine.lint.run import Linted


class Linting(Base):
    """What is not as it should be, and what could be linked."""

    def lint(self, only: Collection[str] = (), *, fix: bool = False) -> Linted:
        """What in the vault is not as it should be, by some rules or by all. With `fix` what can
        be mended without a doubt is, in one change that can be undone. Raises UsageError for what
        is no rule; ConflictError, IndexUnavailableError."""
        from engrain.engine.lint.run import lint

        return lint(self._ready(scan=True), only, fix=fix)

    def propose_mending(self, flaws: Collection[Flaw]) -> Sequence[Flaw]:
        """Lay before the operator what of some flaws has an action; those that were proposed, less
        what was before. Raises IndexUnavailableError."""
        from engrain.lifecycle.joint import join_ids
        from engrain.lifecycle.staging import propose

        store = self._ready()
        return [
            flaw
            for flaw in flaws
            if flaw.action and propose(store, flaw.action, join_ids(flaw.entries), flaw.message)
        ]

    def suggest_links(
        self, reference: str | None = None, *, limit: int | None = None, propose: bool = False
    ) -> tuple[Sequence[Suggestion], Sequence[Suggestion]]:
        """The links that could be made, the surest first, from or to one entry if it is named; and
        those of them that were proposed to the operator, where `propose` asks for it: what was
        proposed before is not again. Raises NotFoundError, IndexUnavailableError."""
        from engrain.lifecycle.link_proposals import LEAST, find_suggestions, propose_links

        store = self._ready(scan=True)
        found = find_suggestions(store, reference, least=LEAST, limit=limit)
        return found, propose_links(store, found) if propose else []
