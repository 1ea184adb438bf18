"""The moments within a turn, which only a running bridge answers (DESIGN 18): a tool fails, a file
is touched, a subagent starts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from engrain.adapters.hooks.events import PROMPT_BUDGET, HookCall
from engrain.adapters.hooks.spool import TOOL_FAILED
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import STANDING
from engrain.engine.recall.tool_moment import MOST, ToolCall
from engrain.language.telling import find_errors
from engrain.lifecycle.sessions.sessions import find_given, last_asked, note_touched, room_left

_PATHS = ("file_path", "filePath", "absolute_path", "notebook_path", "path")
"""The arguments that name the one file which a tool reads or writes."""
_COMMANDS = ("command", "cmd")
_RESPONSES = ("tool_response", "tool_result", "error")
_OUTPUTS = (
    "error", "stderr", "stdout", "llmContent", "text_result_for_llm", "output", "text", "content",
    "returnDisplay",
)  # fmt: skip
"""The fields with text for the model of a response, or of a payload whose middle is missing."""
_CODES = ("exit_code", "exitCode", "exit", "returncode", "code")
_EXITED = re.compile(
    r"(?im)^(?:process exited with code|exit code:?|exited with code"
    r"|<shellId: \d{1,9} completed with exit code)[ :]*(-?\d+)"
)
"""How hosts say in a response's text with which code a command ended."""
_TESTS_FAILED = re.compile(
    r"(?m)^(?:={1,99} (?:[^\n]{0,200} )?)?[1-9]\d{0,9} failed\b|^FAILED \S{1,200}::|^--- FAIL: "
    r"|^ {0,20}Test(?:s:?| Files| Suites:) {1,20}[1-9]\d{0,9} failed\b|^test result: FAILED"
)
"""How runners say that tests failed, which a pipe hides from the host."""
_PATCHED = re.compile(r"(?m)^\*\*\* (?:Update|Add|Delete) File: (.+)$")
_MOST = 40_000
_LAST_LINES = 8
_SUMMARY = 4000
"""The characters at the end of an output in which a runner sums up."""
_MOST_PATHS = 8
STANDING_BUDGET = 300
"""The tokens of preferences for a subagent."""
_MOST_FOUND = 3


def answer_tool(call: HookCall) -> None:
    """Recall what is known about a failed call of a tool, and about files that the session touches
    for the first time."""
    occasion, journal = call.occasion, call.memory.journal
    asked = read_call(call.event, occasion.fields, occasion.cwd)
    events = journal.read(occasion.session) if occasion.session else []
    new = note_touched(journal, occasion.session, call.at, events, asked.paths)
    if not new and not asked.failed:
        return
    given = find_given(events)
    recall = call.memory.at_tool(
        replace(asked, paths=new),
        project=call.project,
        loaded=given,
        limit=min(MOST, room_left(call.memory.settings, given)),
        deadline=call.deadline,
    )
    call.again, call.leading = recall.again, recall.leading
    call.recalled = [found.row.id for found in recall.results]
    call.admit(recall.results)


def answer_subagent(call: HookCall) -> None:
    """Give a subagent, whose context is empty, the operator's standing preferences, and what fits
    the prompt that its session answers. It is not noted as given: the session itself has not got
    it."""
    asked = last_asked(call.memory.journal, call.occasion.session)
    parts = call.memory.brief(project=call.project, budget=STANDING_BUDGET, deadline=call.deadline)
    standing = [found for part in parts if part.name == STANDING for found in part.results]
    call.admit(standing)
    if asked:
        recall = call.memory.recall(
            asked,
            limit=_MOST_FOUND,
            budget=PROMPT_BUDGET,
            scope=Scope(project=call.project),
            loaded=[found.row.id for found in standing],
            scan=False,
            deadline=call.deadline,
        )
        call.admit(recall.given)


def read_call(event: str, fields: Mapping[str, object], folder: str) -> ToolCall:
    """Return the call of a tool; of a payload whose middle is missing, what is left of it."""
    given = fields.get("tool_input")
    arguments = given if isinstance(given, dict) else fields
    response = next((fields[name] for name in _RESPONSES if name in fields), fields)
    output = "\n".join(_list_texts(response))[-_MOST:]
    command = next(_read_texts(arguments, _COMMANDS), "") or str(fields.get("tool_name") or "")
    paths = [*_read_texts(arguments, _PATHS), *_PATCHED.findall(command)]
    return ToolCall(
        command,
        output,
        event == TOOL_FAILED or _is_true(fields.get("failed"), _has_failed(response, output)),
        [os.path.normpath(os.path.join(folder, path)) for path in paths[:_MOST_PATHS]],
        folder,
    )


def _is_true(said: object, otherwise: bool) -> bool:
    return said if isinstance(said, bool) else otherwise


def _read_texts(fields: Mapping[str, object], names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        value = fields.get(name)
        if isinstance(value, list):
            value = " ".join(map(str, value))
        if isinstance(value, str) and value:
            yield value


def _list_texts(response: object) -> Iterator[str]:
    """Yield the texts of a response: itself, those of its fields, or of the parts of a list."""
    if isinstance(response, str):
        yield response
    elif isinstance(response, list):
        for part in response:
            yield from _list_texts(part)
    elif isinstance(response, dict):
        for name in _OUTPUTS:
            yield from _list_texts(response.get(name))


def _is_failure(response: dict[str, object]) -> bool:
    """Return whether the fields of a response, or of its metadata, say that a call failed."""
    inner = response.get("metadata")
    return any(
        fields.get("error")
        or fields.get("is_error") is True
        or any(type(fields.get(name)) is int and fields[name] for name in _CODES)
        for fields in (response, inner if isinstance(inner, dict) else {})
    )


def _has_failed(response: object, output: str) -> bool:
    """Whether a response says that the call failed, where its host has one event for all."""
    if isinstance(response, str) and response[:1] == "{":
        with suppress(ValueError):
            response = json.loads(response)
    if isinstance(response, dict) and _is_failure(response):
        return True
    ended = _EXITED.search(output)
    if (ended and int(ended[1])) or _TESTS_FAILED.search(output[-_SUMMARY:]):
        return True
    # Codex gives the output alone: a command that failed mostly says so in its last lines.
    lines = [line for line in output.splitlines() if line.strip()]
    return isinstance(response, str) and not ended and bool(find_errors(lines[-_LAST_LINES:]))
