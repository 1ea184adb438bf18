"""Where a session's tasks begin: which prompts ask for something new, and which belong to the task
before, go on with it, correct it or take it back (DESIGN section 18)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from engrain.language.lexicons import read_regexes
from engrain.language.prompts import find_task, is_go_ahead
from engrain.learn.transcripts.hosts import REQUEST, TranscriptEvent, TranscriptSession
from engrain.learn.transcripts.tasks import DISPUTED, TAKEN_BACK, Task
from engrain.model.note.note import hash_bytes

BEGINS, BELONGS, NO_PROMPT = "begins", "belongs", "none"

_PROMPTS = read_regexes("experience", "prompts")
_SAME = 40
"""Characters by which a prompt that was typed again is known."""
_READ = 2000
_OPENING = 300


def judge_prompt(text: str, before: Sequence[str]) -> str:
    """Return whether a prompt begins a task, belongs to the one of whose prompts `before` are,
    or is none: a command to the host."""
    text = text[:_READ].replace("’", "'").strip()
    if _PROMPTS["host"].match(text):
        return NO_PROMPT
    if not before:
        return BEGINS
    if text[:_SAME] == before[-1][:_SAME] or is_go_ahead(text):
        return BELONGS
    if _PROMPTS["command"].match(text):
        return BEGINS
    return BEGINS if _asks(text) else BELONGS


def judge_correction(text: str) -> str:
    """Return what a prompt says about the work before it: DISPUTED, TAKEN_BACK, "" for nothing."""
    text = text[:_READ].replace("’", "'").strip()
    if _PROMPTS["taken_back"].search(text[:200]):
        return TAKEN_BACK
    return DISPUTED if _PROMPTS["disputed"].search(text[:200]) else ""


def _asks(text: str) -> bool:
    praised = _PROMPTS["praise"].match(text)
    rest = text[praised.end() :] if praised else text
    if not rest or _PROMPTS["reply"].match(rest):
        return False
    if _PROMPTS["subject"].match(rest):
        return True
    opening = rest.partition("\n")[0][:_OPENING]
    asks = _PROMPTS["asks"].match(rest) or find_task(opening)
    return bool(asks) and not _PROMPTS["at_hand"].search(opening)


Judge: TypeAlias = "Callable[[TranscriptEvent, Sequence[str]], str]"


class TaskFinder:
    """Finds the tasks in the events of a `host`'s transcript. `name` stands for a session that does
    not name itself; `judge` says of a request what it is, by the prompts of the task before."""

    def __init__(self, host: str, name: str, judge: Judge | None = None) -> None:
        self._host = host
        self._judge = judge or (lambda request, before: judge_prompt(request.text, before))
        self._session = TranscriptSession(name)
        self._task: Task | None = None
        self._seen: set[str] = set()
        self._copied = False

    def run(self, events: Iterable[TranscriptSession | TranscriptEvent]) -> Iterator[Task]:
        """Yield the tasks, each as soon as its end is seen."""
        for event in events:
            if isinstance(event, TranscriptSession):
                if event.session:
                    yield from self._end()
                    self._session = event
                elif event.cwd:
                    self._session = TranscriptSession(self._session.session, event.cwd, event.agent)
            elif event.what == REQUEST and not self._is_delegated(event):
                yield from self._add_request(event)
            elif self._task and not self._copied:
                self._task.add_event(event)
        yield from self._end()

    def _is_delegated(self, request: TranscriptEvent) -> bool:
        """Whether a sub-agent is asked, whose work belongs to the task that asks it."""
        return bool(request.stream) and self._task is not None

    def _add_request(self, request: TranscriptEvent) -> Iterator[Task]:
        # A copy within a file has the same time, and one in another file the same message.
        within = self._name(self._session.session, request.id, request.text)
        name = self._name(request.message, request.text) if request.message else within
        again = {name, within} if request.id else {name}
        self._copied = not self._seen.isdisjoint(again)
        if self._copied:
            return  # as of a session that went back: what follows is a copy, too
        self._seen.update(again)
        judged = self._judge(request, self._task.prompts if self._task else [])
        if judged == BELONGS and self._task:
            self._task.add_prompt(request, judge_correction(request.text))
        elif judged == BEGINS:
            yield from self._end()
            self._task = Task(request, name, self._session, self._host)

    def _name(self, *parts: str) -> str:
        return hash_bytes("\0".join((self._host, *parts)).encode(errors="replace"))[:12]

    def _end(self) -> Iterator[Task]:
        if self._task:
            yield self._task
        self._task = None
