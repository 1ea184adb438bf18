"""Keeping a vault in order: what lint finds and mends (S1.11)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from engrain.engine.lint.flaw import Flaw
    from engrain.engine.lint.run import Linted


class Linting(Base):
    """What is not as it should be."""

    def lint(self, only: Collection[str] = (), *, fix: bool = False) -> Linted:
        """What in the vault is not as it should be, by some rules or by all. With `fix` what can
        be mended without a doubt is, in one change that can be undone. Raises UsageError for what
        is no rule; ConflictError, IndexUnavailableError."""
        from engrain.engine.lint.run import lint

        return lint(self._open_store(), only, fix=fix)

    def propose_mending(self, flaws: Collection[Flaw]) -> Sequence[Flaw]:
        """Lay before the operator what of some flaws has an action; those that were proposed, less
        what was before. Raises IndexUnavailableError."""
        from engrain.lifecycle.reviewing.actions import join_ids
        from engrain.lifecycle.reviewing.staging import propose

        store = self._ready()
        return [
            flaw
            for flaw in flaws
            if flaw.action and propose(store, flaw.action, join_ids(flaw.entries), flaw.message)
        ]
