"""What mended a failure: what was done between the last try that failed and the one that did not.

A failing call waits for a later call that is another try of the same (`Action.is_try_of`). When
one succeeds, the failure's resolution is what was changed in between, in short, and the agent's own
words about it where they are short and near. A try that fails in another way ends the window of the
failure before: what was done till then mended that one. One that comes again is the same, and waits
again.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from engrain.language.text.fences import without_fences
from engrain.learn.transcripts.actions import EDIT_FILE, Action
from engrain.learn.transcripts.commands import INSTALL, READ_FILE, RUN_COMMAND, WRITE_FILE

MOST_FAILURES = 40
_MOST_STEPS = 60
_SHOWN_EDITS, _SHOWN_COMMANDS = 3, 2
_WORDS = 200
_MOST_WORDS = 800
_RESOLUTION = 700
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'])")


@dataclass(slots=True, eq=False)
class Failure:
    """A failure: the call it was of, its error's type and message, when it was seen last and when
    it was over (in steps of the session), and how it was mended, "" while it is not."""

    action: Action
    type: str
    message: str
    seen: int
    ended: int = 0
    mended: bool = False
    resolution: str = ""


class Fixes:
    """The failures of one task and what became of them; calls and words are noted as they come."""

    __slots__ = ("_said", "_steps", "count", "failures", "retries")

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.count = 0
        self.retries = 0
        self._steps: deque[tuple[int, Action]] = deque(maxlen=_MOST_STEPS)
        self._said: deque[tuple[int, str]] = deque(maxlen=_MOST_STEPS)

    def note_call(self, action: Action) -> None:
        """A call is made: one more try of what failed before, or not."""
        self.retries += any(action.is_try_of(open_.action) for open_ in self._open())

    def note_words(self, step: int, text: str) -> None:
        """The agent says something."""
        self._said.append((step, text))

    def note_success(self, called: int, action: Action) -> None:
        """A call made at the step `called` went well."""
        for failure in self._open():
            if failure.seen < called and action.is_try_of(failure.action):
                failure.mended = True
                ended = failure.ended or called
                failure.resolution = self._resolve(failure, ended, action) or self._resolve(
                    failure, called, action
                )
        self._steps.append((called, action))

    def note_failure(
        self, called: int, seen: int, action: Action, type_: str, message: str
    ) -> None:
        """A call made at the step `called` was seen to fail at `seen`."""
        self.count += 1
        known = None
        for failure in self.failures:
            if failure.seen < called and action.is_try_of(failure.action):
                if (failure.type, failure.message) == (type_, message):
                    failure.seen, failure.ended, failure.mended = seen, 0, False
                    known = failure
                elif not failure.mended and not failure.ended:
                    failure.ended = called
        if known is None and len(self.failures) < MOST_FAILURES:
            self.failures.append(Failure(action, type_, message, seen))

    def unmended(self, *names: str) -> list[Failure]:
        """The failures of these actions that nothing mended."""
        return [failure for failure in self._open() if failure.action.name in names]

    def _open(self) -> list[Failure]:
        return [failure for failure in self.failures if not failure.mended]

    def _resolve(self, failure: Failure, until: int, final: Action) -> str:
        between = [action for at, action in self._steps if failure.seen < at < until]
        done = _describe_steps(between, failure.action, final)
        said = [text for at, text in self._said if failure.seen < at <= until]
        words = next((short for text in said if (short := _shorten(text))), "")
        if done and words:
            return f"{done} ({words})"[:_RESOLUTION]
        return (done or words)[:_RESOLUTION]


def _describe_steps(between: list[Action], failed: Action, final: Action) -> str:
    edits = [
        f"edited {action.target}: {action.change}" if action.change else f"wrote {action.target}"
        for action in between
        if action.name in (EDIT_FILE, WRITE_FILE)
    ]
    commands = [
        f"ran {action.target}"
        for action in between
        if action.name in (RUN_COMMAND, INSTALL) and not action.is_try_of(failed)
    ]
    if failed.writes:
        # A change that could not be made: what was read made it possible.
        commands += _describe_reads(between, failed)
        if final.change not in ("", failed.change):
            edits.append(f"edited {final.target}: {final.change}")
    elif not (edits or commands) and final.command and final.target != failed.target:
        commands = [f"ran {final.target} instead of {failed.target}"]
    shown = dict.fromkeys([*edits[-_SHOWN_EDITS:], *commands[-_SHOWN_COMMANDS:]])
    return "; ".join(shown)


def _describe_reads(between: list[Action], failed: Action) -> list[str]:
    return [
        f"read {action.target}"
        for action in between
        if action.name == READ_FILE and set(action.reads) & set(failed.writes)
    ]


def _shorten(text: str) -> str:
    """The agent's words where they are few: the first sentences of a short text."""
    text = without_fences(text)
    if len(text) > _MOST_WORDS:
        return ""
    kept = ""
    for sentence in _SENTENCE.split(" ".join(text.split())):
        longer = f"{kept} {sentence}".strip()
        if len(longer) > _WORDS:
            break
        kept = longer
    return kept.rstrip(":")
