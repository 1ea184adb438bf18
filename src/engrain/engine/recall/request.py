"""A recall as it is asked for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.core.scope import Scope
    from engrain.engine.recall.profiles import Profile


class Request:
    """One recall: the words, the profile with all that overrides it applied, the scope, the phase
    and the type of action that is at hand (None for none), whether to scan first, to explain, and
    the ids of entries that the reader has in the context already."""

    __slots__ = (
        "action", "deadline", "explain", "loaded", "phase", "profile", "query", "scan", "scope",
    )  # fmt: skip

    def __init__(
        self,
        query: str,
        profile: Profile,
        scope: Scope,
        *,
        phase: str | None = None,
        action: str | None = None,
        loaded: Sequence[str] = (),
        scan: bool = True,
        explain: bool = False,
        deadline: float | None = None,
    ) -> None:
        self.action = action
        self.query = query
        self.profile = profile
        self.scope = scope
        self.phase = phase
        self.loaded = loaded
        self.scan = scan
        self.explain = explain
        self.deadline = deadline
