"""Run the clients of agents' hosts, and print which of their hooks a bridge answered (warm).

    PYTHONPATH=tests python -m bench.warm_hooks [HOST ...]

The clients come from npm, each gets a home of its own, wired by `engrain setup HOST`, and speaks
with a fake model. No time is measured: whether a hook is warm is in the hooks' log.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engrain.adapters.hooks.answers import TIMES
from hosts.clients import CLIENTS, Home
from hosts.model import serving

RUNS = 3
"""Processes of one prompt, of each client."""
PROMPTS = 20
"""Prompts of the session of Claude Code."""
NOTES = 20
_PROMPT = "Why is the dunning test flaky in week {}?"


def main(hosts: Sequence[str]) -> None:
    """Run the clients of these hosts, all for none, and print a table."""
    prompts: Counter[str] = Counter()
    for host in hosts or CLIENTS:
        print(f"{host}: one process a prompt")
        with tempfile.TemporaryDirectory() as folder, serving() as model:
            home = _make_home(Path(folder), host, model)
            for number in range(RUNS):
                home.ask(_PROMPT.format(number))
                prompts += _report(home, 1)
            if host == "claude-code":
                print(f"{host}: a session of {PROMPTS} prompts")
                with open_session(home, ["-p"]) as ask:
                    for number in range(PROMPTS):
                        ask(_PROMPT.format(number))
                prompts += _report(home, PROMPTS)
    print(f"warm: {prompts['1']} of {prompts.total()} prompts")


def _make_home(folder: Path, host: str, model: object) -> Home:
    home = Home(folder, CLIENTS[host], model)  # type: ignore[arg-type]
    home.engrain("setup", host)
    for number in range(NOTES):
        text = f"The dunning test of week {number} is flaky because of two clocks: pass one in."
        (home.notes / f"Dunning {number}.md").write_text(f"# Dunning {number}\n\n{text}\n")
    home.engrain("import", str(home.notes))
    return home


@contextmanager
def open_session(home: Home, ask: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """Open one process of Claude Code with these options, and yield what asks it one prompt and
    waits for the answer."""
    home.model.begin(())
    flags = ["--input-format=stream-json", "--output-format=stream-json", "--verbose"]
    with subprocess.Popen(
        [home.program, *ask, *flags],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=home.project,
        env=home.environ,
        text=True,
    ) as claude:
        assert claude.stdin is not None
        assert claude.stdout is not None
        asking, answers = claude.stdin, claude.stdout

        def ask_once(prompt: str) -> None:
            said = {"role": "user", "content": prompt}
            asking.write(json.dumps({"type": "user", "message": said}) + "\n")
            asking.flush()
            for line in answers:
                if json.loads(line).get("type") == "result":
                    return

        yield ask_once
        claude.stdin.close()


def _report(home: Home, asked: int) -> Counter[str]:
    """Print the hooks since the last look, and count the prompts by "1" (warm) and "0"; one without
    a line in the log was not answered."""
    events = list(_read_times(home))
    print(
        "  " + ", ".join(f"{event} {'warm' if warm == '1' else 'COLD'}" for event, warm in events)
    )
    warm = events.count(("prompt", "1"))
    for path in home.path.rglob("hooks.log"):
        print(f"  {path.read_text()}")
    return Counter({"1": warm, "0": asked - warm})


def _read_times(home: Home) -> Iterator[tuple[str, str]]:
    for path in home.path.rglob(TIMES):
        for line in path.read_text().splitlines():
            _, event, _, _, warm = line.split()
            yield event, warm
        path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
