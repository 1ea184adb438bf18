"""What is done at each event: which verbs of memory, and what of it goes into the context (S1.18,
S1.20, S1.22)."""

from __future__ import annotations

from engrain.adapters.hooks.answers import (
    MOST_CHARS,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
)
from engrain.model.errors import EngrainError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from engrain.adapters.hooks.payloads import Occasion
    from engrain.engine.memory import Memory
    from engrain.engine.outcomes import Recalled

    Handler: TypeAlias = Callable[["Call", Memory], None]

PROMPT_LIMIT = 5
PROMPT_BUDGET = 1500
"""Entries and tokens that one prompt gets: each costs the session its place for good."""


class Call:
    """One event to be answered: what happened, in which project ("" for none, None for
    the memory's own), until when
    (monotonic), at what time; and the answer so far, in whole parts."""

    __slots__ = (
        "at", "deadline", "event", "host", "losses", "occasion", "parts", "phase",
        "project", "titles",
    )  # fmt: skip

    def __init__(
        self,
        event: str,
        host: str,
        occasion: Occasion,
        *,
        deadline: float,
        at: float,
        phase: str,
        project: str | None = None,
    ) -> None:
        self.event = event
        self.host = host
        self.occasion = occasion
        self.deadline = deadline
        self.at = at
        self.project = project
        self.phase = phase
        self.parts: list[str] = []
        self.titles: list[str] = []
        self.losses: list[str] = []

    def admit(self, results: Sequence[Recalled]) -> None:
        """Take entries into the answer."""
        from engrain.adapters.present.injection import describe_entry

        parts = [describe_entry(found) for found in results]
        self.titles += [found.row.title for found in results]
        self.parts += parts  # at once: whoever reads it meanwhile has all of them or none

    def render(self) -> tuple[str, str]:
        """The context and the line for the person; two empty texts for nothing."""
        if not self.parts:
            return "", ""
        from engrain.adapters.present.injection import count_memories, fence_parts, make_mark

        parts = list(self.parts)
        context, count = fence_parts(parts, make_mark(), most=MOST_CHARS)
        return context, count_memories(count, self.titles[:count]) if count else ""


def handle(call: Call, memory: Memory) -> None:
    """Do what an event asks for; what can't be done is among the call's losses."""
    HANDLERS[call.event](call, memory)


def _start(call: Call, memory: Memory) -> None:
    from engrain.lifecycle.sessions import note_given, start_session

    occasion = call.occasion
    details = {"host": call.host, "project": call.project or memory.project or ""}
    start_session(
        memory.journal,
        occasion.session,
        call.at,
        source=occasion.source or "startup",
        transcript=occasion.transcript,
        **details,
    )
    given = []
    phase = _known_phase(occasion.phase) or _known_phase(call.phase)
    for part in memory.brief(phase=phase, project=call.project, deadline=call.deadline):
        call.admit(part.results)
        given += [found.row.id for found in part.results]
    note_given(memory.journal, occasion.session, call.at, given)


def _known_phase(phase: str) -> str | None:
    from engrain.engine.recall.priors import PHASES

    return phase if phase in PHASES else None


def _prompt(call: Call, memory: Memory) -> None:
    occasion = call.occasion
    if not occasion.prompt.strip():
        return
    from engrain.engine.scope import Scope
    from engrain.lifecycle.sessions import list_given, note_given

    given = list_given(memory.journal, occasion.session)
    recall = memory.recall(
        occasion.prompt,
        limit=PROMPT_LIMIT,
        budget=PROMPT_BUDGET,
        scope=Scope(project=call.project),
        loaded=given,
        scan=False,
        deadline=call.deadline,
    )
    call.admit(recall.results)
    if recall.degraded:
        call.losses.append(recall.degraded)
    note_given(
        memory.journal, occasion.session, call.at, [found.row.id for found in recall.results]
    )


def _mark(call: Call, memory: Memory) -> None:
    from engrain.lifecycle.sessions import mark_session

    occasion = call.occasion
    details = {"host": call.host, "source": occasion.source, "transcript": occasion.transcript}
    mark_session(memory.journal, occasion.session, call.at, call.event, **details)


def _stop(call: Call, memory: Memory) -> None:
    _mark(call, memory)
    # The one hook that has the time to find what other programs wrote (DESIGN section 8).
    try:
        memory.scan()
    except EngrainError as error:
        call.losses.append(error.message)


HANDLERS: dict[str, Handler] = {
    SESSION_START: _start,
    PROMPT: _prompt,
    STOP: _stop,
    PRE_COMPACT: _mark,
    SESSION_END: _mark,
}
