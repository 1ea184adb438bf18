"""The moment a tool fails: does the known fix come, and does nothing come where none is known?

python -m bench.failed_calls                 both halves
python -m bench.failed_calls --split dev     the half that may be looked at
python -m bench.failed_calls --json          with the ids of the calls that went wrong

`data/failed_calls/README.md` says what the labels mean. Most calls are quoted by line from
transcripts of the folder of data (ENGRAIN_DATA); without it only the calls in the file are asked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bench.corpus import DATA
from bench.labelled import LABELLED, SPLITS, Figures, read_lines, recall_titles, run, share
from bench.sets.asking import open_temporary
from engrain.api.memory import Memory
from engrain.engine.recall.tool_moment import ToolCall
from engrain.model.experience.traces import main_line

FOLDER = LABELLED / "failed_calls"
SHOWN = 2
"""A fix counts where it is among the first so many titles."""

_FRAME = re.compile(r"[│╭╮╰╯─]+")
_MARK = re.compile(r"^\s*(?:⏺ |✔ +(?:Shell )?|⎿\s*(?:Error: )?|.* % |\$ )")
_CALL = re.compile(r"^(?:Bash\((.*?)…?\)?|(.*?))…?$", re.DOTALL)
_LEFT_OUT = re.compile(r"^(?:⎿\s*)?Waiting…$|^… (?:\+\d+ lines? )?\(ctrl\+r to .*\)$")


class Call(NamedTuple):
    """A call of a tool: its command and its output, whether it failed, which memories fit, and
    whether the transcript cuts the line off that would say so."""

    id: str
    split: str
    command: str
    output: str
    failed: bool
    fits: Sequence[str]
    cut: bool


Ask: TypeAlias = "Callable[[Memory, Call], Sequence[str]]"
"""A memory and a call -> the titles of what the agent is given."""


def ask_at_tool(memory: Memory, call: Call) -> Sequence[str]:
    """Recall as the bridge does for the hook of a tool."""
    asked = ToolCall(call.command, call.output, call.failed)
    return [found.row.title for found in memory.at_tool(asked).results]


def ask_as_prompt(memory: Memory, call: Call) -> Sequence[str]:
    """Recall as for a prompt, by the command and the line of the output that says what failed."""
    return recall_titles(memory, f"{call.command}\n{main_line(call.output)}")


def read_calls(data: Path = DATA) -> list[Call]:
    """Return all calls whose text is at hand. Raises ValueError if a transcript has changed."""
    calls = []
    for label in read_lines(FOLDER / "calls.jsonl"):
        if "source" not in label:
            text = label["command"], label["output"]
        elif (data / label["source"]).exists():
            text = _quote(data / label["source"], label)
        else:
            continue
        about = label["failed"], label["fits"], label.get("cut", False)
        calls.append(Call(label["id"], label["split"], *text, *about))
    return calls


def fill(memory: Memory) -> dict[str, str]:
    """Save the memories of earlier sessions; return their titles by id."""
    titles = {}
    for known in read_lines(FOLDER / "memories.jsonl"):
        where = f"\n\nConcerns `{known['path']}`." if known["path"] else ""
        memory.save(known["text"] + where, title=known["title"], kind=known["kind"])
        titles[known["id"]] = known["title"]
    return titles


def measure(
    splits: Sequence[str] = SPLITS, ask: Ask = ask_at_tool, calls: Sequence[Call] | None = None
) -> Figures:
    """Ask about every call of the halves and count what came."""
    asked = [call for call in calls or read_calls() if call.split in splits]
    with open_temporary("") as memory:
        titles = fill(memory)
        given = {call.id: list(ask(memory, call)) for call in asked}
    known = [call for call in asked if call.fits]
    silent = [call for call in asked if not call.fits]
    right = {
        call.id: any(titles[id_] in given[call.id][:SHOWN] for id_ in call.fits) for call in known
    }
    useful = [
        title in {titles[id_] for id_ in call.fits} for call in asked for title in given[call.id]
    ]
    return {
        "calls with a known fix": len(known),
        "the fix is in the first two": share(right.values()),
        "... where the transcript shows the telling line": share(
            right[call.id] for call in known if not call.cut
        ),
        "the fix is anywhere": share(
            any(titles[id_] in given[call.id] for id_ in call.fits) for call in known
        ),
        "calls that must stay silent": len(silent),
        "junk: something came at a failure": share(
            given[call.id] for call in silent if call.failed
        ),
        "junk: something came at a success": share(
            given[call.id] for call in silent if not call.failed
        ),
        "share of the given titles that fit": share(useful),
        "missed": [call.id for call in known if not right[call.id]],
        "disturbed": [call.id for call in silent if given[call.id]],
    }


def _quote(path: Path, label: dict[str, Any]) -> tuple[str, str]:
    """Return the command and the output that a label points to."""
    text = path.read_text(encoding="utf-8")
    first, result, end = label["line"], label["result"], label["end"]
    if path.suffix == ".traj":
        step = json.loads(text)["trajectory"][first]
        command, output = step["action"], step["observation"]
        quoted = f"{command}\n{output}"
    else:
        lines = text.split("\n")
        if path.suffix == ".jsonl":
            quoted = f"{lines[first - 1]}\n{lines[result - 1]}"
            command, output = _read_call(lines[first - 1]), _read_result(lines[result - 1])
        else:
            quoted = "\n".join(lines[first - 1 : end])
            command = _CALL.sub(r"\1\2", _plain(lines[first - 1 : result - 1]))
            output = _plain(lines[result - 1 : end])
    if sha256(quoted.encode()).hexdigest()[:8] != label["sha"]:
        raise ValueError(f"{label['id']}: {label['source']} has another text there")
    return command, output


def _read_call(line: str) -> str:
    (call,) = (
        part for part in json.loads(line)["message"]["content"] if part["type"] == "tool_use"
    )
    return call["input"].get("command") or f"{call['name']} {json.dumps(call['input'])}"


def _read_result(line: str) -> str:
    return str(json.loads(line)["message"]["content"][0]["content"])


def _plain(lines: Sequence[str]) -> str:
    """Return lines of a terminal without the frames and marks of the agent's screen."""
    texts = (_MARK.sub("", _FRAME.sub(" ", line)).strip() for line in lines)
    return "\n".join(text for text in texts if text and not _LEFT_OUT.match(text))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the figures."""
    run("failed_calls", __doc__, measure, arguments)


if __name__ == "__main__":
    main()
