"""Drive the clients, and print what each shows of a memory in one row of a table.

python tests/hosts/measure.py [HOST[@VERSION]…]
"""

from __future__ import annotations

import html
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hosts.clients import CLIENTS, Client, Home
from hosts.contract import BROKEN, CRANE, FIRST, KNOWN, NOTES, SECOND, UNLOCK
from hosts.model import Call, serving

HEADS = (
    "client", "tools in the first request", "start", "prompt", "failed call", "learned",
    "prompts answered warm", "tools", "start block", "prompt block", "request",
)  # fmt: skip
"""The last four are tokens of the first request: characters by four."""
_BLOCK = re.compile(r"<engrain-memory (\w+)>.*?</engrain-memory \1>", re.DOTALL)
_PATIENCE = 8
"""Seconds of the last session, in which the one before is learned from."""


def measure(client: Client) -> Iterator[str]:
    """Run three sessions of a client, and yield the cells of its row."""
    tool, argument = client.shell

    def run(command: str) -> Call:
        return Call(tool, {argument: command, "description": "run it"})

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, serving() as model:
        home = Home(Path(folder), client, model)
        home.engrain("setup", client.host, "--learn", "rules")
        home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=KNOWN)
        for title, text in NOTES.items():
            (home.notes / f"{title}.md").write_text(f"# {title}\n\n{text}\n")
        (home.notes / "crane.md").write_text(CRANE)
        home.engrain("import", "--trust", "operator", str(home.notes))
        home.ask(FIRST, run("ls /nowhere"), "All done.")
        second = home.ask(SECOND, run(BROKEN), "All done.")
        home.ask("What is left to do?", run(f"sleep {_PATIENCE}"), "Nothing is left.")
        first, *_, last = second.turns
        blocks = [found[0] for found in _BLOCK.finditer(html.unescape(first.text))]
        prompt = next(
            (block for block in blocks if NOTES["Database password rotation"] in block), ""
        )
        start = next((block for block in blocks if KNOWN in block), "")
        episodes = list(home.vault.glob("Memory/episodic/*/ep-*.json"))
        yield f"{client.host} {client.version}"
        yield str(len(first.own_tools))
        yield "yes" if start else "no"
        yield "yes" if prompt else "no"
        yield "yes" if UNLOCK in last.text and UNLOCK not in first.text else "no"
        yield f"{len(episodes)} episodes"
        yield _count_warm(home)
        tools = [tool for name, tool in first.own_tools.items()]
        for text in (json.dumps(tools), start, prompt, json.dumps(first.body)):
            yield str(len(text) // 4)


def _count_warm(home: Home) -> str:
    (times,) = (home.path / ".local" / "state" / "engrain").rglob("hooks.times")
    lines = [line.split() for line in times.read_text().splitlines()]
    prompts = [line for line in lines if line[1] == "prompt"]
    return f"{sum(line[-1] == '1' for line in prompts)} of {len(prompts)}"


if __name__ == "__main__":
    print("| " + " | ".join(HEADS) + " |\n" + "|---" * len(HEADS) + "|")
    for name in sys.argv[1:] or CLIENTS:
        host, _, version = name.partition("@")
        client = CLIENTS[host]
        print("| " + " | ".join(measure(replace(client, version=version or client.version))) + " |")
