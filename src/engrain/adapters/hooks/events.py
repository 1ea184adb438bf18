"""The handlers of a host's events: they call the verbs of memory and collect the entries for the
context (S1.18, S1.20, S1.22)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from time import monotonic
from typing import TypeAlias

from engrain.adapters.hooks.answers import (
    LATE_START,
    MOST_CHARS,
    PRE_COMPACT,
    PROMPT,
    SESSION_END,
    SESSION_START,
    STOP,
)
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hooks.spool import SUBAGENT, TOOL, TOOL_FAILED
from engrain.adapters.present.text import (
    GLANCE,
    HEADING,
    count_memories,
    describe_entry,
    describe_left_out,
    describe_proposals,
    describe_request,
    fence_parts,
    make_mark,
)
from engrain.api.memory import Memory
from engrain.engine.core.recalled import Recalled
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import BRIEF_BUDGET, PHASES, PROMOTED, RECENT, STANDING
from engrain.language.text.instants import format_instant
from engrain.lifecycle.sessions.sessions import (
    describe_rest,
    find_given,
    find_open_requests,
    list_given,
    list_unanswered,
    mark_session,
    note_given,
    note_recalled,
    room_left,
    start_session,
)
from engrain.model.errors import EngrainError
from engrain.model.settings import read_value

Handler: TypeAlias = Callable[["HookCall"], object]

PROMPT_LIMIT = 5
PROMPT_BUDGET = 1500
"""The most entries and tokens for one prompt: they stay in the context of the session."""
ASKED = 1000
"""Characters of a prompt that are noted, for the goal of CONTINUITY.md."""
_READ = ASKED + 200
"""Characters in which secrets are searched: the beginning of a secret is not recognised."""

_SHORT, _LONGEST_WORD = 12, 24
_UUID = [8, 4, 4, 4, 12]
_HEX = frozenset("0123456789abcdef-")


@dataclass(slots=True, eq=False)
class HookCall:
    """One event to answer, and its answer so far, in complete parts.

    `project` is "" for none and None for the memory's own, `deadline` is monotonic. `recalled` are
    the ids that fit a prompt. `begun` says that the start of the session is noted, `started` that
    it is answered completely, `answered` that the prompt is. `more` is the number of preferences
    that are not shown whole, `titles` has titles of these.
    """

    event: str
    host: str
    occasion: Occasion
    memory: Memory
    _: KW_ONLY
    deadline: float
    at: float
    phase: str
    project: str | None = None
    entries: list[tuple[str, str, str]] = field(default_factory=list, init=False)
    """The id, title and text for the context of each entry; an open request has no id."""
    notice: str = field(default="", init=False)
    """A further line for the person."""
    again: Sequence[str] = field(default=(), init=False)
    """The ids that fit and are in the context already."""
    leading: Sequence[str] = field(default=(), init=False)
    losses: list[str] = field(default_factory=list, init=False)
    recalled: list[str] = field(default_factory=list, init=False)
    more: int = field(default=0, init=False)
    titles: Sequence[str] = field(default=(), init=False)
    rest: dict[str, object] = field(default_factory=dict, init=False)
    """Why a prompt got no entries, or not all that fit."""
    begun: bool = field(default=False, init=False)
    started: bool = field(default=False, init=False)
    answered: bool = field(default=False, init=False)

    def admit(self, results: Sequence[Recalled], most: int = GLANCE) -> None:
        """Add entries, each in at most `most` tokens (0: whole), to the answer at once: another
        thread sees all of them or none."""
        self.entries += [
            (found.row.id, found.row.title, describe_entry(found, most=most)) for found in results
        ]


@dataclass(slots=True)
class HookAnswer:
    """The context for the host, a line for its user, the ids of the entries in the context, and
    whether sessions are learned from."""

    context: str = ""
    message: str = ""
    ids: Sequence[str] = ()
    learns: bool = False


def make_answer(call: HookCall) -> HookAnswer:
    """Return the answer so far, as long as the host accepts it."""
    entries = list(call.entries)
    context, taken = fence_parts(
        [text for _, _, text in entries],
        make_mark(),
        heading=HEADING + describe_left_out(call.more, call.titles),
        most=MOST_CHARS,
    )
    if len(taken) < len(entries):
        call.losses.append(f"{len(entries) - len(taken)} entries had no room in the host's context")
    context = call.occasion.place(context)
    given = [entries[number] for number in taken if context and entries[number][0]]
    told = [count_memories(len(given), [title for _, title, _ in given])] if given else []
    message = ". ".join([*told, *([call.notice] if call.notice else [])])
    learns = read_value(call.memory.settings, "learn") != "no"
    return HookAnswer(context, message, [id_ for id_, _, _ in given], learns)


def note_answer(call: HookCall, answer: HookAnswer) -> None:
    """Note what the session has received; entries that can't be noted may be given again. What
    a subagent has got, the session has not."""
    if call.event == SUBAGENT:
        return
    journal, session = call.memory.journal, call.occasion.session
    # Nobody asked for the entries of a session's start, so they are not strengthened.
    note_given(journal, session, call.at, [id_ for id_ in answer.ids if id_ not in call.recalled])
    if session and call.event in _RECALLING:
        leading = [id_ for id_ in call.leading if id_ in answer.ids]
        note_recalled(
            journal,
            session,
            call.at,
            [id_ for id_ in answer.ids if id_ in call.recalled],
            call.again,
            leading=leading,
            asked=cut_prompt(call),
            unanswered=not call.answered,
            rest=call.rest,
        )


_RECALLING = (PROMPT, LATE_START, TOOL, TOOL_FAILED)
"""The events whose entries count as recalled. Some hosts send the prompt at a session's end too."""


def cut_prompt(call: HookCall) -> str:
    """Return the beginning of the prompt on one line, without secrets; "" outside of projects and
    with `session.prompts = off`."""
    project = call.memory.project if call.project is None else call.project
    if not project or call.memory.settings.get("session.prompts") == "off":
        return ""
    text = call.memory.clean(call.occasion.prompt[:_READ])
    return " ".join(text.split())[:ASKED]


def _clean(call: HookCall, text: str) -> str:
    """Return a host's text about a session without secrets. Short names, words and UUIDs, as in
    paths, are safe: the rules are loaded only for other text."""
    if all(map(_is_name, text.replace("\\", "/").replace(".", "/").split("/"))):
        return text
    return call.memory.clean(text)


def _is_name(part: str) -> bool:
    pieces = part.replace("_", "-").split("-")
    words = all(not piece or piece.isalpha() for piece in pieces)
    longest = max(map(len, pieces))
    plain = longest < _LONGEST_WORD if words else len(part) < _SHORT
    return (plain and all(not piece or piece.isalnum() for piece in pieces)) or (
        [len(piece) for piece in pieces] == _UUID and _HEX.issuperset(part)
    )


def _start(call: HookCall, budget: int | None = None) -> None:
    occasion, journal = call.occasion, call.memory.journal
    source = occasion.source or "startup"
    project = (call.memory.project if call.project is None else call.project) or ""
    given = list(call.recalled)
    try:
        for when, text in find_open_requests(
            journal, occasion.session, project, call.at, compacted=source == "compact"
        ):
            call.entries.append(("", "", describe_request(format_instant(when)[:16], text)))
        start_session(
            journal,
            occasion.session,
            call.at,
            source=_clean(call, source),
            host=call.host,
            project=project,
            transcript=_clean(call, occasion.transcript),
        )
        call.begun = True
        given += list_given(journal, occasion.session)
    except EngrainError as error:
        call.losses.append(error.message)  # the session gets its context nevertheless
    phase = known_phase(occasion.phase) or known_phase(call.phase)
    for part in call.memory.brief(
        phase=phase, project=call.project, budget=budget, deadline=call.deadline
    ):
        most = GLANCE if part.name in (PROMOTED, RECENT) else 0
        call.admit([found for found in part.results if found.row.id not in given], most)
        if part.name == STANDING:
            call.more, call.titles = part.left_out, part.titles
    call.started = True
    call.notice = describe_proposals(*call.memory.count_proposals())


def known_phase(phase: str) -> str | None:
    """Return a phase of work that a host or a person names, None if it is unknown."""
    return phase if phase in PHASES else None


def _prompt(call: HookCall) -> int:
    """Recall what fits a prompt and earlier ones for which time ran out. Return the tokens used."""
    occasion, journal = call.occasion, call.memory.journal
    events = journal.read(occasion.session) if occasion.session else []
    given, used = find_given(events), 0
    for query in (occasion.prompt, *reversed(list_unanswered(events))):
        room = min(PROMPT_LIMIT, room_left(call.memory.settings, [*given, *call.recalled]))
        if query.strip() and not room:
            call.losses.append("the session has received as much as session.limit allows")
            call.rest = {"why": "limit"}
        elif query.strip() and used < PROMPT_BUDGET:
            used += _recall(call, query, [*given, *call.recalled], room, PROMPT_BUDGET - used)
        call.answered = True
        if monotonic() > call.deadline:
            break
    return used


def _recall(call: HookCall, query: str, given: Sequence[str], room: int, budget: int) -> int:
    """Recall what fits a query and the session does not have. Return the tokens used."""
    recall = call.memory.recall(
        query,
        limit=room,
        budget=budget,
        scope=Scope(project=call.project),
        loaded=given,
        scan=False,
        deadline=call.deadline,
    )
    call.again = (*call.again, *(id_ for id_ in recall.again if id_ not in call.recalled))
    call.leading = (*call.leading, *recall.leading)
    call.recalled = [*call.recalled, *(found.row.id for found in recall.given)]
    if not call.answered:  # this is the prompt itself, not an earlier one
        call.rest = describe_rest(recall)
    call.admit(recall.given)
    if recall.degraded:
        call.losses.append(recall.degraded)
    return recall.tokens


def _start_late(call: HookCall) -> None:
    """Answer a prompt, then add what is missing of the session's start, as far as it fits."""
    used = 0
    try:
        used = _prompt(call)
    except EngrainError as error:
        call.losses.append(error.message)
    _start(call, max(BRIEF_BUDGET // 2, BRIEF_BUDGET - used))


def _mark(call: HookCall) -> None:
    occasion = call.occasion
    mark_session(
        call.memory.journal,
        occasion.session,
        call.at,
        call.event,
        host=call.host,
        source=_clean(call, occasion.source),
        transcript=_clean(call, occasion.transcript),
    )


def _stop(call: HookCall) -> None:
    _mark(call)
    _fold(call, look=True)
    try:
        call.memory.work.update_continuity(
            call.occasion.session, project=call.project, deadline=call.deadline
        )
    except EngrainError as error:
        call.losses.append(error.message)  # the end of the next turn does it


def _end(call: HookCall) -> None:
    _mark(call)
    _fold(call, look=False)


def _fold(call: HookCall, *, look: bool) -> None:
    """Fold closed sessions. `look`: first find what other programs wrote (DESIGN section 8)."""
    try:
        if look:
            call.memory.look()
        if call.memory.journal.closed():  # without any, the module that folds is not loaded
            call.memory.sessions.fold(call.deadline)
    except EngrainError as error:
        call.losses.append(error.message)  # the next hook of this kind does it


HANDLERS: dict[str, Handler] = {
    SESSION_START: _start,
    PROMPT: _prompt,
    LATE_START: _start_late,
    STOP: _stop,
    PRE_COMPACT: _mark,
    SESSION_END: _end,
}
