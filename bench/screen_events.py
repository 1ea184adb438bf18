"""Sessions of agents as their terminals showed them, and trajectories of SWE-agent, as the events
that a host's transcript has. `line` of a request is its line in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from engrain.language.prompts import request_in
from engrain.learn.transcripts.hosts import (
    CALL,
    REQUEST,
    RESULT,
    STOP,
    WORDS,
    TranscriptEvent,
    TranscriptSession,
)

_CALL = re.compile(
    r"⏺ (?P<name>Bash|Update|Edit|MultiEdit|Write|Read|Search|Task|Fetch|Web Search)"
    r"\((?P<about>.*)$"
    r"|⏺ (?P<file>Read|Write|Update) (?P<path>\S+)…$"
    r"|\s+│ [✔x-]  (?P<gemini>Shell|ReadFile|WriteFile|Edit|ReadManyFiles|FindFiles|SearchText) "
    r"(?P<given>.*?)\s*│$"
)
_TOOLS = {"Update": "edit", "Search": "grep", "Shell": "bash", "ReadFile": "read"}
_TOOLS |= {"WriteFile": "write", "Web Search": "websearch", "FindFiles": "glob"}
_GAVE = re.compile(r"\s+⎿\s*(.*)")
_BEGINS = re.compile(r"│ ✻ Welcome to Claude|Tips for getting started:")
_SHOWN = re.compile(r"\n\s*[⎿╭│].*", re.DOTALL)
"""What a screen shows below a prompt."""
_RUNNING = re.compile(r"^(/[\w-]+) is running…")
_REFUSED = ("No (tell", "User rejected")
_CHANGED = re.compile(r"\s+\d+\s([-+])\s(.*)")


def read_screen_events(
    text: str, name: str
) -> Iterator[tuple[int, TranscriptSession | TranscriptEvent]]:
    """Yield what happened, with the line where it began."""
    sessions = 0
    for at, block in _blocks(text.split("\n")):
        first = block[0]
        call = _CALL.match(first)
        if _BEGINS.match(first):
            sessions += 1
            yield at, TranscriptSession(f"{name}-{sessions}")
        elif first.startswith("> "):
            asked = "\n".join([first[2:], *(line.strip() for line in block[1:])])
            asked = _RUNNING.sub(r"\1", _SHOWN.sub("", asked)).strip()
            if asked := request_in(asked):
                yield at, TranscriptEvent(REQUEST, None, str(at), asked)
        elif call:
            yield from _read_call(at, block, call)
        elif first.startswith(("⏺ ", "✦ ")):
            yield at, TranscriptEvent(WORDS, None, text="\n".join([first[2:], *block[1:]]))
        if any(re.match(r"\s+⎿\s*Interrupted by user", line) for line in block) or first.startswith(
            "ℹ Request cancelled"
        ):
            yield at, TranscriptEvent(STOP, None)


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the parts of a screen, each with the number of its first line."""
    begun, block = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if line[:1] not in ("", " ", "│") or _CALL.match(line) or _BEGINS.match(line):
            if block:
                yield begun, block
            begun, block = number, []
        block.append(line)
    if block:
        yield begun, block


def _read_call(
    at: int, block: Sequence[str], call: re.Match[str]
) -> Iterator[tuple[int, TranscriptEvent]]:
    ends = [number for number, line in enumerate(block) if _GAVE.match(line)]
    begun = ends[0] if ends else len(block)
    name = call["name"] or call["file"] or call["gemini"]
    about = call["about"] or call["path"] or call["given"] or ""
    if call["name"]:
        about = "\n".join([about, *(line.strip() for line in block[1:begun])]).strip()
        about = re.sub(r"\)?…?$", "", about)
    tool, output = _TOOLS.get(name, name.lower()), ""
    if call["gemini"]:
        begun, output = 0, "\n".join(line.strip(" │") for line in block[1:])
    elif ends:
        rest = block[begun:]
        output = "\n".join([_GAVE.sub(r"\1", rest[0]), *(line[5:] for line in rest[1:])])
    output = output.removeprefix("Waiting…\n").strip("\n")
    given = _GAVE.match(output.strip())
    output = given[1] if given and "\n" not in output.strip() else re.sub(r"^\s+⎿\s*", "", output)
    changed = [found.groups() for line in block if (found := _CHANGED.match(line))]
    arguments = {
        "command": about.partition(" (")[0] if call["gemini"] else about,
        "file_path": about.split(" ")[0].rstrip(":"),
        "pattern": about,
        "old_string": "\n".join(text for sign, text in changed if sign == "-"),
        "new_string": "\n".join(text for sign, text in changed if sign == "+"),
    }
    if not changed:
        del arguments["old_string"], arguments["new_string"]
    yield at, TranscriptEvent(CALL, None, str(at), name=tool, arguments=arguments)
    text = output.removeprefix("Error: ")
    failed = output.startswith("Error: ")
    if text.startswith(_REFUSED):
        text = f"The user doesn't want to proceed: {text}"
    yield at + begun, TranscriptEvent(RESULT, None, str(at), text, failed=failed)


def read_trajectory(
    text: str, name: str
) -> Iterator[tuple[int, TranscriptSession | TranscriptEvent]]:
    """Yield what happened in a trajectory; its lines are the numbers of its steps."""
    whole = json.loads(text)
    yield 0, TranscriptSession(name)
    asked = [one for one in whole.get("history", ()) if one.get("role") == "user"]
    issue = next((str(one["content"]) for one in asked if "ISSUE" in str(one["content"])), "")
    yield 0, TranscriptEvent(REQUEST, None, "0", issue.partition("ISSUE:")[2].strip() or name)
    for number, step in enumerate(whole.get("trajectory", ())):
        command, output = str(step.get("action")), str(step.get("observation"))
        yield number, TranscriptEvent(WORDS, None, text=str(step.get("thought") or ""))
        arguments = {"command": command.strip()}
        yield number, TranscriptEvent(CALL, None, str(number), name="bash", arguments=arguments)
        failed = "Traceback (most recent" in output
        yield number, TranscriptEvent(RESULT, None, str(number), output, failed=failed)
