"""What went wrong in a call, read from its output, and what fixed it.

A failing call waits for a later call that is another try of the same (`Action.is_try_of`). When
one succeeds, the failure's resolution is what was changed in between, in short, and the agent's own
words about it where they are short and near. A try that fails in another way ends the window of the
failure before: what was done till then fixed that one. One that comes again is the same, and waits
again."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from engrain.language.text.fences import shorten, without_fences
from engrain.learn.transcripts.actions import EDIT_FILE, ToolAction
from engrain.learn.transcripts.commands import (
    INSTALL,
    READ_FILE,
    RUN_COMMAND,
    RUN_TEST,
    VERDICTS,
    WRITE_FILE,
    is_answer,
)
from engrain.learn.transcripts.events import ends_of
from engrain.model.experience.traces import main_line

_LOOKED_AT = 20_000
_MESSAGE = 240
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TAGS = re.compile(r"</?tool_use_error>")

_NAMED = re.compile(
    r"^(?:E[ \t]+)?(?:Uncaught )?(?:[\w$]+\.)*"
    r"([A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Failure|Panic|Timeout|NotFound))"
    r"(?::[ \t]*(.*))?$",
    re.MULTILINE,
)
# What of a verdict's output says that it failed, whatever the exit code of the line it is in: a
# pipe to `tail` has that of `tail`.
_FAILING = re.compile(
    r"^FAILED\b|^--- FAIL|^FAIL\b|^=+ .*\b[1-9]\d* (?:failed|errors?)\b|^test result: FAILED"
    r"|^Tests?:\s+[1-9]\d* failed|^Found [1-9]\d* errors?\b|\berror TS\d+:|^error(?:\[E\d+\])?: "
    r"|^npm (?:ERR!|error) |^[1-9]\d* failed\b|^[^\S\n]{0,40}[1-9]\d* failing\b",
    re.MULTILINE,
)
_REFUSED = re.compile(
    r"^(?:Error: )?(?:The user doesn't want to|User (?:chose|rejected|declined)|Permission to use"
    r"|\[Request interrupted|Claude requested permissions|This command requires approval)"
)


def has_failed(action: ToolAction, text: str, failed: bool | None) -> bool:
    """Return whether a call failed: if the host says so; for tests, builds and checks also if their
    output says so."""
    if failed:
        return not (action.command and is_answer(action.command, text))
    return action.name in VERDICTS and bool(_FAILING.search(ends_of(text, _LOOKED_AT)))


def is_refusal(text: str) -> bool:
    """Whether a call was not made because the user refused it."""
    return bool(_REFUSED.match(text))


def describe_failure(action: ToolAction, text: str, code: int | None, cwd: str) -> tuple[str, str]:
    """Return the type and the message of a failure: an exception's name, else how the call ended,
    and the line that says most."""
    text = _COLOURS.sub("", _TAGS.sub("", without_fences(ends_of(text, _LOOKED_AT))))
    if cwd:
        text = text.replace(f"{cwd.rstrip('/')}/", "")
    if found := list(_NAMED.finditer(text)):
        # A test's report names the exception first, a traceback last.
        telling = found[0] if found[0][0].startswith("E") else found[-1]
        return telling[1], _line(telling[2] or telling[0])
    if action.name == RUN_TEST:
        return "test failure", _line(main_line(text))
    return f"exit code {code}" if code else f"{action.name} failed", _line(main_line(text))


def _line(text: str) -> str:
    return shorten(text.strip(" =\t\r\n"), _MESSAGE)


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
    it was over (in steps of the session), and how it was fixed, "" while it is not."""

    action: ToolAction
    type: str
    message: str
    seen: int
    ended: int = 0
    mended: bool = False
    resolution: str = ""


class Fixes:
    """The failures of one task and what became of them; calls and words are noted as they come."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.count = 0
        self.retries = 0
        self._steps: deque[tuple[int, ToolAction]] = deque(maxlen=_MOST_STEPS)
        self._said: deque[tuple[int, str]] = deque(maxlen=_MOST_STEPS)

    def note_call(self, action: ToolAction) -> None:
        """Note a call, which is one more try of what failed before, or not."""
        self.retries += any(action.is_try_of(open_.action) for open_ in self._open())

    def note_words(self, step: int, text: str) -> None:
        """Note something that the agent says."""
        self._said.append((step, text))

    def note_success(self, called: int, action: ToolAction) -> None:
        """Note that a call made at the step `called` went well."""
        for failure in self._open():
            if failure.seen < called and action.is_try_of(failure.action):
                failure.mended = True
                resolved = (
                    self._resolve(failure, until, action)
                    for until in (failure.ended or called, called)
                )
                failure.resolution = next(filter(None, resolved), "")
        self._steps.append((called, action))

    def note_failure(
        self, called: int, seen: int, action: ToolAction, type_: str, message: str
    ) -> None:
        """Note that a call made at the step `called` was seen to fail at `seen`."""
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
        """Return the failures of these actions that nothing fixed."""
        return [failure for failure in self._open() if failure.action.name in names]

    def _open(self) -> list[Failure]:
        return [failure for failure in self.failures if not failure.mended]

    def _resolve(self, failure: Failure, until: int, final: ToolAction) -> str:
        between = [action for at, action in self._steps if failure.seen < at < until]
        done = _describe_steps(between, failure.action, final)
        said = (_shorten(text) for at, text in self._said if failure.seen < at <= until)
        words = next(filter(None, said), "")
        return (f"{done} ({words})" if done and words else done or words)[:_RESOLUTION]


def _describe_steps(between: list[ToolAction], failed: ToolAction, final: ToolAction) -> str:
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
        commands += [
            f"read {action.target}"
            for action in between
            if action.name == READ_FILE and set(action.reads) & set(failed.writes)
        ]
        if final.change not in ("", failed.change):
            edits.append(f"edited {final.target}: {final.change}")
    elif not (edits or commands) and final.command and final.target != failed.target:
        commands = [f"ran {final.target} instead of {failed.target}"]
    shown = dict.fromkeys([*edits[-_SHOWN_EDITS:], *commands[-_SHOWN_COMMANDS:]])
    return "; ".join(shown)


def _shorten(text: str) -> str:
    """Return the agent's words where they are few: the first sentences of a short text."""
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
