"""A task: one request, and what was done about it.

This rule decides its outcome, the first that holds: the user, or a service that failed, broke it
off: `interrupted`. A call's result is still to come: `unknown`. The last test, build or check
passed: `success`; it failed: `failure`, or `partial` where something was committed. Without any,
the last command, or else the last change of a file, went well: `success`, or `partial` while
another command or change that failed was not fixed; it failed: `failure`. Nothing was run or
changed: `unknown`.
"""

from __future__ import annotations

import re
from typing import Any

from engrain.language.text.instants import format_instant
from engrain.learn.transcripts.actions import EDIT_FILE, ToolAction, read_call
from engrain.learn.transcripts.commands import COMMIT, INSTALL, RUN_COMMAND, VERDICTS, WRITE_FILE
from engrain.learn.transcripts.events import CALL, RESULT, STOP, TOKENS, WORDS, TranscriptEvent
from engrain.learn.transcripts.failures import Fixes, describe_failure, has_failed, is_refusal
from engrain.model.experience.episode import FAILURE, INTERRUPTED, PARTIAL, SUCCESS, UNKNOWN
from engrain.model.experience.reading import ActionLog

_ERROR = 300
_PATH = 400
_MOST_FILES = 60
_MOST_PENDING = 1000
_RUNS = (RUN_COMMAND, INSTALL, COMMIT)
_CHANGES = (WRITE_FILE, EDIT_FILE)
_COMMITTED = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\] ", re.MULTILINE)


class Task:
    """One request and what was done about it, as events come in."""

    def __init__(self, request: TranscriptEvent, goal: str, cwd: str) -> None:
        self.request = request
        self.goal = goal
        self.log = ActionLog()
        self.fixes = Fixes()
        self._cwd = cwd
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

    def take(self, event: TranscriptEvent) -> None:
        """Take an event in."""
        self._step += 1
        if event.at is not None:
            self._end = max(event.at, self._end or event.at)
        if event.what == CALL:
            self._stopped = False
            self._call(event)
        elif event.what == RESULT:
            self._result(event)
        elif event.what == WORDS:
            self.fixes.note_words(self._step, event.text)
        elif event.what == STOP:
            self._stopped = True
        elif event.what == TOKENS:
            self._tokens[0] += event.tokens[0]
            self._tokens[1] += event.tokens[1]

    def document(self, id_: str, session: str, agent: str) -> dict[str, Any]:
        """Return the episode, with loki's fields."""
        began = self.request.at
        pending = [_logged(at, action) for _, at, action in self._calls.values()]
        took = None if began is None or self._end is None else int(max(0, self._end - began))
        return {
            "id": id_,
            "task_id": session,
            "timestamp": None if began is None else format_instant(began),
            "duration_seconds": took,
            "agent": agent,
            "context": {
                "phase": "",
                "goal": self.goal,
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

    def metrics(self) -> dict[str, Any]:
        """Return what it cost: calls, failed calls, retries, tokens."""
        return {
            "calls": self.calls,
            "failures": self.fixes.count,
            "retries": self.fixes.retries,
            "tokens": sum(self._tokens),
            "tokens_in": self._tokens[0],
            "tokens_out": self._tokens[1],
        }

    def omitted(self) -> int:
        """Return how many actions the document leaves out."""
        return self.log.count - len(self.log.kept())

    def outcome(self) -> str:
        """Return how it ended, by the rule at the top of this module."""
        if self._stopped:
            return INTERRUPTED
        if self._calls:
            return UNKNOWN
        if self._verdict is not None:
            return SUCCESS if self._verdict else PARTIAL if self._commit else FAILURE
        ended = self._run if self._run is not None else self._change
        if ended is None:
            return UNKNOWN
        if not ended:
            return FAILURE
        return PARTIAL if self.fixes.unmended(*_RUNS, *_CHANGES) else SUCCESS

    def _call(self, event: TranscriptEvent) -> None:
        action = read_call(event.name, event.arguments, self._cwd)
        began = self.request.at
        if event.at is not None and began is not None:
            self._late = max(0, round(event.at - began))
        self.fixes.note_call(action)
        for path in (*action.reads, *action.writes):
            _keep(self._files, path)
        for path in action.writes:
            _keep(self._artifacts, path)
        if event.id and len(self._calls) < _MOST_PENDING:
            self._calls[event.id] = (self._step, self._late, action)
        else:
            self.log.add(_logged(self._late, action))

    def _result(self, event: TranscriptEvent) -> None:
        if event.id in self._calls:
            called, at, action = self._calls.pop(event.id)
            line = _logged(at, action)
            if event.running and len(self._running) < _MOST_PENDING:
                self._running[event.id] = (called, action, line)
            elif is_refusal(event.text):
                line["result"] = "refused"
            else:
                self._end_call(event, called, action, line)
            self.log.add(line)
        elif event.id in self._running and not event.running:
            self._end_call(event, *self._running.pop(event.id))

    def _end_call(
        self, event: TranscriptEvent, called: int, action: ToolAction, line: dict[str, Any]
    ) -> None:
        failed = has_failed(action, event.text, event.failed)
        line["result"] = "fail" if failed else "pass" if action.name in VERDICTS else "ok"
        if failed:
            what = describe_failure(action, event.text, event.code, self._cwd)
            line["error"] = ": ".join(filter(None, what))[:_ERROR]
            self.fixes.note_failure(called, self._step, action, *what)
        else:
            self.fixes.note_success(called, action)
        if action.name in VERDICTS:
            self._verdict = not failed
        elif action.name in _RUNS:
            self._run = not failed
        elif action.name in _CHANGES:
            self._change = not failed
        if action.name == COMMIT and not failed and (made := _COMMITTED.search(event.text)):
            self._commit = made[1]


def _logged(at: float, action: ToolAction) -> dict[str, Any]:
    line: dict[str, Any] = {"t": at, "action": action.name}
    return {**line, "target": action.target} if action.target else line


def _keep(files: dict[str, None], path: str) -> None:
    if path and len(files) < _MOST_FILES:
        files.setdefault(path[:_PATH])
