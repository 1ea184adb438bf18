"""A recall as it is asked for."""

from __future__ import annotations

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from dataclasses import KW_ONLY

    from engrain.engine.core.scope import Scope
    from engrain.engine.recall.profiles import Profile


class Request(Struct):
    """One recall: the words, the profile with all that overrides it applied, the scope, the phase
    and the type of action that is at hand (None for none), whether to scan first, to explain, and
    the ids of entries that the reader has in the context already."""

    query: str
    profile: Profile
    scope: Scope
    _: KW_ONLY
    phase: str | None = None
    action: str | None = None
    loaded: Sequence[str] = ()
    scan: bool = True
    explain: bool = False
    deadline: float | None = None
