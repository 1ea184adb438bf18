"""Episodes in a transcript: one of each request that ran a tool."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from engrain.language.prompts.tasks import is_go_ahead
from engrain.language.text.instants import format_instant
from engrain.language.text.lines import shorten
from engrain.learn.transcripts.events import Event, Request, Session
from engrain.learn.transcripts.tasks import Task
from engrain.model.note.note import hash_bytes

_GOAL = 600


@dataclass(slots=True, eq=False)
class Found:
    """An episode of a transcript: its document, what stands beside it (`metrics`, `omitted`), the
    session it is of and the folder that ran in."""

    document: dict[str, Any]
    beside: dict[str, Any]
    session: str
    cwd: str


def find_episodes(
    host: str, events: Iterable[Session | Event], name: str, counts: Counter[str]
) -> Iterator[Found]:
    """Yield the episodes in the events of a host's transcript, each as soon as its end is seen.
    `name` stands for a session that does not name itself; `counts` gets the number of requests
    `without_tools`."""
    return _Finder(host, name, counts).run(events)


class _Finder:
    def __init__(self, host: str, name: str, counts: Counter[str]) -> None:
        self._host = host
        self._counts = counts
        self._session = Session(name)
        self._tasks: dict[str, Task] = {}
        self._goals: dict[str, str] = {}
        self._seen: set[str] = set()

    def run(self, events: Iterable[Session | Event]) -> Iterator[Found]:
        for event in events:
            if isinstance(event, Session):
                if event.session:
                    yield from self._all()
                    self._session = event
                elif event.cwd:
                    self._session = Session(self._session.session, event.cwd, event.agent)
            elif isinstance(event, Request):
                yield from self._begin(event)
            elif event.stream in self._tasks:
                self._tasks[event.stream].take(event)
        yield from self._all()

    def _begin(self, request: Request) -> Iterator[Found]:
        stream = request.stream
        if stream in self._tasks:
            yield from self._end(stream)
        name = self._name(request)
        if name in self._seen:
            return  # a copy, as of a session that went back: what follows is one, too
        self._seen.add(name)
        before = self._goals.get(stream, "")
        goal = before if before and is_go_ahead(request.text) else shorten(request.text, _GOAL)
        goal = goal or self._session.session or self._host
        self._goals[stream] = goal
        self._tasks[stream] = Task(request, goal, self._session.cwd)

    def _name(self, request: Request) -> str:
        """Return an id that every copy of a request shares, whichever file of the session it is
        in."""
        parts = (self._host, self._session.session, request.stream, request.key, request.text)
        return hash_bytes("\0".join(parts).encode(errors="replace"))[:12]

    def _all(self) -> Iterator[Found]:
        for stream in list(self._tasks):
            yield from self._end(stream)

    def _end(self, stream: str) -> Iterator[Found]:
        task = self._tasks.pop(stream)
        if not task.calls:
            self._counts["without_tools"] += 1
            return
        session, request = self._session, task.request
        agent = stream or session.agent or self._host
        day = "" if request.at is None else f"{format_instant(request.at)[:10]}-"
        id_ = f"ep-{day}{self._name(request)}"
        beside: dict[str, Any] = {"metrics": task.metrics()}
        if left_out := task.omitted():
            beside["omitted"] = {"actions": left_out}
        document = task.document(id_, session.session, agent)
        yield Found(document, beside, session.session, session.cwd)
