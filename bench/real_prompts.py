"""Ask real clients a developer's prompts, and show the blocks as their models got them.

    PYTHONPATH=tests python -m bench.real_prompts [HOST ...] [--blocks FILE]

The clients come from npm and speak with a fake model. Each has a home of its own, set up by
`engrain setup HOST`, with the 300 memories of `moment/` in the folder of data (ENGRAIN_DATA). Of
the development prompts every second is asked, in a session of its own: 20 that should get a memory
and 10 that should get none. The first row is of `engrain hook`, and each row says how many prompts
got the same there. Every hook has time enough: how long it takes is measured by `bench.hooks`.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.corpus import DATA
from engrain.language.text.fences import FENCE
from engrain.language.text.tokens import estimate_tokens
from hosts.clients import CLIENTS, Home
from hosts.model import Model, serving

FOLDER = DATA / "moment"
OWN, FOREIGN = 20, 10
"""The prompts that should get a memory, and those that should get none."""
_SAME = 30
"""The characters by which a memory is recognised."""
_SAVE = """
import json, sys
from engrain import open_memory
with open_memory() as memory:
    for number, one in enumerate(json.load(open(sys.argv[1]))):
        at = 1767225600 + number * 86400
        memory.save(one["text"], title=one["title"], kind=one["kind"], created=at)
    memory.scan()
    memory.embed()
    memory.jobs.run(["calibrate"])
"""
_COLUMNS = "host         | asked | given | right | wrong | silent rightly | as hook  | size"
_HOOK = "engrain hook"
_HOOK_PROGRAM = "import engrain_hook as h;"
_PATIENT = f"{_HOOK_PROGRAM}h.BUDGETS.update(dict.fromkeys(h.BUDGETS,9.0));"
_RUN = f"{_PATIENT}import sys;from engrain.__main__ import main;sys.exit(main())"


@dataclass
class Answer:
    """What came for a prompt: the ids of the memories, and their texts."""

    ids: Sequence[str] = ()
    text: str = ""


def main(arguments: Sequence[str]) -> None:
    """Ask `engrain hook` and the clients of these hosts, all for none, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hosts", nargs="*", metavar="HOST")
    parser.add_argument("--blocks", type=Path, help="write the prompts and blocks to a file")
    options = parser.parse_args(arguments)
    prompts = choose_prompts()
    expected: list[Answer] = []
    print(_COLUMNS)
    for host in (_HOOK, *(options.hosts or CLIENTS)):
        ask = _ask_hook if host == _HOOK else _ask_client
        with tempfile.TemporaryDirectory() as folder, serving() as model:
            home = make_home(Path(folder), "claude-code" if host == _HOOK else host, model)
            start = find_memories(_ask_hook(home, ""))
            found = [find_memories(ask(home, prompt["q"]), start) for prompt in prompts]
        answers = [Answer([*one], "\n".join(one.values())) for one in found]
        expected = expected or answers
        print(report(host, prompts, answers, expected), flush=True)
        if options.blocks:
            with options.blocks.open("a", encoding="utf-8") as file:
                file.write(f"# {host}\nat each start: {' '.join(start)}\n\n")
                file.writelines(map(_show, prompts, answers))


def choose_prompts() -> list[Mapping[str, Any]]:
    """Return every second of the prompts of either kind."""
    prompts = json.loads((FOLDER / "prompts_dev.json").read_text("utf-8"))
    own = [prompt for prompt in prompts if prompt["gold"]]
    foreign = [prompt for prompt in prompts if not prompt["gold"]]
    return [*own[::2][:OWN], *foreign[::2][:FOREIGN]]


def make_home(folder: Path, host: str, model: Model) -> Home:
    """Set a client up as the README says, and save the memories. An installation without extras has
    the token vectors."""
    home = Home(folder, CLIENTS[host], model)
    del home.environ["ENGRAIN_EMBEDDER"]
    home.engrain("setup", host)
    home.engrain("config", "set", "embedder", "static")
    home.run(sys.executable, "-c", _SAVE, str(FOLDER / "memories.json"))
    for path in home.path.glob(".*/**/*"):
        if path.is_file() and _HOOK_PROGRAM in (text := path.read_text(errors="ignore")):
            path.write_text(text.replace(_HOOK_PROGRAM, _PATIENT))
    return home


def report(
    host: str,
    prompts: Sequence[Mapping[str, Any]],
    answers: Sequence[Answer],
    expected: Sequence[Answer],
) -> str:
    """Return a row of the table: of the prompts that got memories, how many got a right one; of
    those that should get none, how many got none; and the tokens of what came, the median."""
    right = [{*prompt["gold"], *prompt["also"]} for prompt in prompts]
    given = [one for one in answers if one.ids]
    good = sum(not fit.isdisjoint(one.ids) for fit, one in zip(right, answers, strict=True))
    silent = sum(not one.ids and not fit for fit, one in zip(right, answers, strict=True))
    same = sum(one.ids == other.ids for one, other in zip(answers, expected, strict=True))
    tokens = statistics.median([estimate_tokens(one.text) for one in given] or [0])
    counts = f"{len(answers):5} | {len(given):5} | {good:5} | {len(given) - good:5}"
    ends = f"{silent:8} of {right.count(set()):2} | {same:2} of {len(answers):2} "
    return f"{host:12} | {counts} | {ends} | {tokens:4.0f}"


def _show(prompt: Mapping[str, Any], given: Answer) -> str:
    right = " ".join([*prompt["gold"], *prompt["also"]]) or "none"
    ids = " ".join(given.ids) or "none"
    return f"## {prompt['q']}\nright: {right}\ngiven: {ids}\n{given.text}\n\n"


def _ask_client(home: Home, prompt: str) -> str:
    """Return what the model got with the first request of a session."""
    session = home.ask(prompt)
    if session.code or not session.turns:
        raise RuntimeError(f"{home.client.host} failed: {session.err[-500:]}")
    return session.turns[0].text


def _ask_hook(home: Home, prompt: str) -> str:
    """Return what `engrain hook` prints in a session."""
    said = {"session_id": str(uuid4()), "cwd": str(home.project)}
    printed = [_run_hook(home, "session-start", {**said, "source": "startup"})]
    if prompt:
        printed.append(_run_hook(home, "prompt", {**said, "prompt": prompt}))
    _run_hook(home, "session-end", {**said, "reason": "exit"})
    return "\n".join(printed)


def _run_hook(home: Home, event: str, payload: Mapping[str, str]) -> str:
    words = ["hook", event, "--host", "claude-code"]
    told = home.run(sys.executable, "-c", _RUN, *words, stdin=json.dumps(payload))
    return str(json.loads(told or "{}").get("hookSpecificOutput", {}).get("additionalContext", ""))


def find_memories(text: str, start: Collection[str] = ()) -> dict[str, str]:
    """Return the memories in the blocks of a text by their ids; of a block with some that every
    session is given at its start, those before."""
    known = json.loads((FOLDER / "memories.json").read_text("utf-8"))
    found = {}
    for before, behind in pairwise(re.finditer(FENCE, text)):
        if not behind[1] or before[1] or before[2] != behind[2]:
            continue
        block = text[before.end() : behind.start()]
        for entry in re.split(rf"(?m)^(?=\[{before[2][:4]}\b)", block)[1:]:
            id_ = _identify(" ".join(entry.partition("]")[2].split()), known)
            if id_ in start:
                break
            if id_:
                found[id_] = entry.strip()
    return found


def _identify(said: str, known: Sequence[Mapping[str, str]]) -> str:
    for one in known:
        title, body = (" ".join(one[part].split())[:_SAME] for part in ("title", "text"))
        if said.startswith((f"{title} {body}"[:_SAME], body)):
            return one["id"]
    return ""


if __name__ == "__main__":
    main(sys.argv[1:])
