"""A task: one request, and what was done about it.

This rule decides its outcome, the first that holds: the user, or a service that failed, broke it
off: `interrupted`. The user took the work back, or disputed it, and nothing was done since that
went well: `failure`. A call's result is still to come: `unknown`. The last test, build or check
passed: `success`; it failed: `failure`, or `partial` where something was committed. Without any,
the last command, or else the last change of a file, went well: `success`, or `partial` while
another command or change that failed was not fixed; it failed: `failure`. Nothing was run or
changed: `unknown`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engrain.language.text.fences import shorten, without_fences
from engrain.language.text.instants import format_instant
from engrain.learn.transcripts.actions import (
    COMMIT,
    EDIT_FILE,
    INSTALL,
    RUN_COMMAND,
    RUN_TEST,
    VERDICTS,
    WRITE_FILE,
    ToolAction,
    is_answer,
    read_call,
)
from engrain.learn.transcripts.hosts import (
    CALL,
    RESULT,
    STOP,
    TOKENS,
    TranscriptEvent,
    TranscriptSession,
    ends_of,
)
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL, SUCCESS, UNKNOWN
from engrain.model.experience.reading import ActionLog
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


def is_refused(text: str) -> bool:
    """Return whether a result says that the user did not let the call run."""
    return bool(_REFUSED.match(text))


def has_failed(action: ToolAction, text: str, failed: bool | None) -> bool:
    """Return whether a call failed: if the host says so; for tests, builds and checks also if their
    output says so."""
    if failed:
        return not (action.command and is_answer(action.command, text))
    return action.name in VERDICTS and bool(_FAILING.search(ends_of(text, _LOOKED_AT)))


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


_CHANGES = (WRITE_FILE, EDIT_FILE)
MOST_FAILURES = 40
_MOST_STEPS = 60
_MOST_FILES, _MOST_CHANGED = 60, 1000
_SHOWN_EDITS, _SHOWN_COMMANDS = 3, 2
_RESOLUTION = 700


@dataclass(slots=True, eq=False)
class Fix:
    """What was done between a failure and the try that went well: the files that were edited, the
    commands that changed something, that `final` try, and the line of its result."""

    edits: Sequence[ToolAction]
    commands: Sequence[ToolAction]
    final: ToolAction
    line: int

    def describe(self, failed: ToolAction) -> str:
        """Return it in words, "" for nothing that one could do again."""
        done = [
            f"edited {one.target}: {one.change}" if one.change else f"wrote {one.target}"
            for one in self.edits
        ][-_SHOWN_EDITS:]
        done += [f"ran {one.target}" for one in self.commands][-_SHOWN_COMMANDS:]
        if not done and self.final.command and self.final.target != failed.target:
            done = [f"ran {self.final.target} instead of {failed.target}"]
        return "; ".join(dict.fromkeys(done))


@dataclass(slots=True, eq=False)
class Failure:
    """A failure: the call it was of, its error's type and message, when it was seen last and when
    it was over (in steps of the session), the line of its result, the files that the task had
    changed before it, how it was fixed, None while it is not, and that in words."""

    action: ToolAction
    type: str
    message: str
    seen: int
    line: int
    changed: frozenset[str]
    ended: int = 0
    fix: Fix | None = None
    resolution: str = ""


class Fixes:
    """The failures of one task and what became of them; calls are noted as they come."""

    def __init__(self) -> None:
        self.failures: list[Failure] = []
        self.count = 0
        self.retries = 0
        self._steps: deque[tuple[int, ToolAction]] = deque(maxlen=_MOST_STEPS)
        self._changed: set[str] = set()

    def note_call(self, action: ToolAction) -> None:
        """Note a call, which is one more try of what failed before, or not."""
        self.retries += any(action.is_try_of(open_.action) for open_ in self.open)

    def note_success(self, called: int, action: ToolAction, line: int) -> None:
        """Note that a call made at the step `called` went well, by the `line` of its result."""
        for failure in self.open:
            asks = action.only_looks and not failure.action.only_looks  # as with `--help`
            if failure.seen < called and action.is_try_of(failure.action) and not asks:
                tries = [
                    self._find_fix(failure, until, action, line)
                    for until in (failure.ended or called, called)
                ]
                failure.fix = next((fix for fix in tries if fix.describe(failure.action)), tries[0])
                failure.resolution = failure.fix.describe(failure.action)[:_RESOLUTION]
        self._steps.append((called, action))
        if len(self._changed) < _MOST_CHANGED:
            self._changed.update(action.writes[:_MOST_FILES])

    def note_failure(
        self, called: int, seen: int, action: ToolAction, what: tuple[str, str], line: int
    ) -> None:
        """Note that a call made at the step `called` was seen to fail at `seen`: the type and the
        message, and the `line` of the result."""
        self.count += 1
        known = None
        for failure in self.failures:
            if failure.seen < called and action.is_try_of(failure.action):
                if (failure.type, failure.message) == what:
                    failure.seen, failure.ended, failure.fix = seen, 0, None
                    known = failure
                elif not failure.fix and not failure.ended:
                    failure.ended = called
        if known is None and len(self.failures) < MOST_FAILURES:
            changed = frozenset(self._changed)
            self.failures.append(Failure(action, *what, seen, line, changed))

    @property
    def open(self) -> list[Failure]:
        """The failures that nothing fixed."""
        return [failure for failure in self.failures if not failure.fix]

    def _find_fix(self, failure: Failure, until: int, final: ToolAction, line: int) -> Fix:
        failed = failure.action
        between = [action for at, action in self._steps if failure.seen < at < until]
        edits = [action for action in between if action.name in _CHANGES]
        commands = [
            action
            for action in between
            if (action.name in (RUN_COMMAND, INSTALL) and not action.only_looks)
            and not action.is_try_of(failed)
        ]
        if failed.writes:
            # A change that could not be made: what was read made it possible.
            edits += [final] * (final.change not in ("", failed.change))
        return Fix(edits, commands, final, line)


_ERROR = 300
_PATH = 400
_MOST_PENDING = 1000
_RUNS = (RUN_COMMAND, INSTALL, COMMIT)
_DOING = (*VERDICTS, *_RUNS, *_CHANGES)
_COMMITTED = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\] ", re.MULTILINE)


DISPUTED, TAKEN_BACK = "disputed", "taken back"
"""What a later prompt may say of the work of a task."""
_GOAL = 600
_MOST_PROMPTS = 200


class Task:
    """A request and what was done about it, as events come in: the `name` that its copies share,
    and the prompts that belong to it, in words and by their lines."""

    def __init__(
        self, request: TranscriptEvent, name: str, session: TranscriptSession, host: str
    ) -> None:
        self.request = request
        self.name = name
        self.session = session
        self.agent = request.stream or session.agent or host
        self.prompts = [request.text]
        self.lines = [request.line]
        self.log = ActionLog()
        self.fixes = Fixes()
        self.saved = False
        self._cwd = session.cwd
        self._rejected = ""
        self._calls: dict[str, tuple[int, float, ToolAction]] = {}
        self._running: dict[str, tuple[int, ToolAction, dict[str, Any]]] = {}
        self._step = 0
        self._end = request.at
        self._late: float = 0
        self._files: dict[str, None] = {}
        self._artifacts: dict[str, None] = {}
        self._verdict: bool | None = None
        self._run: bool | None = None
        self._change: bool | None = None
        self._stopped = False
        self._commit = ""
        self._tokens = [0, 0]

    @property
    def calls(self) -> int:
        """The number of tool calls."""
        return self.log.count + len(self._calls)

    def add_prompt(self, request: TranscriptEvent, correction: str) -> None:
        """Add a prompt that belongs to this task, and the `correction` in it, "" for none."""
        if len(self.prompts) < _MOST_PROMPTS:
            self.prompts.append(request.text)
        self.lines.append(request.line)
        self._stopped = False
        if self._rejected == TAKEN_BACK and not correction:
            self._rejected = DISPUTED  # until what is asked for now went well
        self._rejected = correction or self._rejected

    def add_event(self, event: TranscriptEvent) -> None:
        """Take an event in."""
        self._step += 1
        if event.at is not None:
            self._end = max(event.at, self._end or event.at)
        if event.what == CALL:
            self._stopped = False
            self._call(event)
        elif event.what == RESULT:
            self._result(event)
        elif event.what == STOP:
            self._stopped = True
        elif event.what == TOKENS:
            self._tokens[0] += event.tokens[0]
            self._tokens[1] += event.tokens[1]

    def document(self) -> dict[str, Any]:
        """Return the episode, with loki's fields."""
        began, session = self.request.at, self.session.session
        day = "" if began is None else f"{format_instant(began)[:10]}-"
        pending = [_logged(at, action) for _, at, action in self._calls.values()]
        took = None if began is None or self._end is None else int(max(0, self._end - began))
        return {
            "id": f"ep-{day}{self.name}",
            "task_id": session,
            "timestamp": None if began is None else format_instant(began),
            "duration_seconds": took,
            "agent": self.agent,
            "context": {
                "phase": "",
                "goal": shorten(self.request.text, _GOAL) or session or self.agent,
                "constraints": [],
                "files_involved": list(self._files),
            },
            "action_log": [*self.log.kept(), *pending],
            "outcome": self.outcome(),
            "errors_encountered": [
                {"type": one.type, "message": one.message, "resolution": one.resolution}
                for one in self.fixes.failures
            ],
            "artifacts_produced": list(self._artifacts),
            "git_commit": self._commit or None,
        }

    def beside(self) -> dict[str, Any]:
        """Return what stands beside the document: what the task cost, and how many actions the
        document leaves out."""
        beside: dict[str, Any] = {
            "metrics": {
                "calls": self.calls,
                "failures": self.fixes.count,
                "retries": self.fixes.retries,
                "tokens": sum(self._tokens),
                "tokens_in": self._tokens[0],
                "tokens_out": self._tokens[1],
            }
        }
        if left_out := self.log.count - len(self.log.kept()):
            beside["omitted"] = {"actions": left_out}
        return beside

    def outcome(self) -> str:
        """Return how it ended, by the rule at the top of this module."""
        if self._stopped:
            return INTERRUPTED
        done = next(
            (one for one in (self._verdict, self._run, self._change) if one is not None), None
        )
        if self._rejected and done is not None:
            return FAILURE
        if self._calls:
            return UNKNOWN
        if self._verdict is not None:
            return SUCCESS if self._verdict else PARTIAL if self._commit else FAILURE
        if done is None:
            return UNKNOWN
        if not done:
            return FAILURE
        left = (failure.action.name for failure in self.fixes.open)
        return PARTIAL if {*_RUNS, *_CHANGES}.intersection(left) else SUCCESS

    def _call(self, event: TranscriptEvent) -> None:
        action = read_call(event.name, event.arguments, self._cwd)
        began = self.request.at
        if event.at is not None and began is not None:
            self._late = max(0, round(event.at - began))
        self.fixes.note_call(action)
        for path in (*action.reads, *action.writes):
            _add_file(self._files, path)
        for path in action.writes:
            _add_file(self._artifacts, path)
        if event.id and len(self._calls) < _MOST_PENDING:
            self._calls[event.stream + event.id] = (self._step, self._late, action)
        else:
            self.log.add(_logged(self._late, action))

    def _result(self, event: TranscriptEvent) -> None:
        id_ = event.stream + event.id
        if id_ in self._calls:
            called, at, action = self._calls.pop(id_)
            line = _logged(at, action)
            if event.running and len(self._running) < _MOST_PENDING:
                self._running[id_] = (called, action, line)
            elif is_refused(event.text):
                line["result"] = "refused"
                self._stopped = True
            else:
                self._end_call(event, called, action, line)
            self.log.add(line)
        elif id_ in self._running and not event.running:
            self._end_call(event, *self._running.pop(id_))

    def _end_call(
        self, event: TranscriptEvent, called: int, action: ToolAction, line: dict[str, Any]
    ) -> None:
        failed = has_failed(action, event.text, event.failed)
        line["result"] = "fail" if failed else "pass" if action.name in VERDICTS else "ok"
        if failed:
            what = describe_failure(action, event.text, event.code, self._cwd)
            line["error"] = ": ".join(filter(None, what))[:_ERROR]
            self.fixes.note_failure(called, self._step, action, what, event.line)
        else:
            self.fixes.note_success(called, action, event.line)
            self.saved = self.saved or action.saves
        self._note_end(action, failed=failed)
        if action.name == COMMIT and not failed and (made := _COMMITTED.search(event.text)):
            self._commit = made[1]

    def _note_end(self, action: ToolAction, *, failed: bool) -> None:
        """Note how a call ended, for the outcome."""
        if not failed and self._rejected == DISPUTED and action.name in _DOING:
            self._rejected = ""
        if action.name in VERDICTS:
            self._verdict = not failed
        elif action.name in _RUNS:
            self._run = not failed
        elif action.name in _CHANGES:
            self._change = not failed


def _logged(at: float, action: ToolAction) -> dict[str, Any]:
    line: dict[str, Any] = {"t": at, "action": action.name}
    return {**line, "target": action.target} if action.target else line


def _add_file(files: dict[str, None], path: str) -> None:
    if path and len(files) < _MOST_FILES:
        files.setdefault(path[:_PATH])
