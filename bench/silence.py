"""Silence as a host meets it: `engrain hook prompt` as a cold process, a prompt a session.

python tasks.py bench --silence                  vaults of the development sets, 100 prompts each
python tasks.py bench --silence --prompts 300    more of them

For each vault: the share of foreign prompts that got nothing, as they are and with names removed,
and of own questions that got nothing. Beside them the same prompts through the Python API; in
`differ` are prompts to which one gave something and the other nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.corpus import DATA
from bench.desk import Desk
from bench.measure import describe_machine
from bench.sets.foreign import thin
from bench.sets.questions import read_foreign, read_own

VAULTS = ("dendron", "tldr")


def main(arguments: list[str]) -> None:
    """Measure every vault and print the figures as JSON."""
    parser = argparse.ArgumentParser(
        prog="bench --silence",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--prompts", type=int, default=100, help="of each kind, at most")
    args = parser.parse_args(arguments)
    if not (DATA / "prompts").exists():
        sys.exit(f"the development sets are not in {DATA} (ENGRAIN_DATA)")
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    found = {}
    for vault in VAULTS:
        with tempfile.TemporaryDirectory(prefix="engrain-silence-") as folder:
            found[vault] = measure(vault, Path(folder), args.prompts)
    print(json.dumps({"machine": describe_machine(), "silence": found}, indent=2))


def measure(vault: str, folder: Path, most: int) -> dict[str, object]:
    """The shares of one vault's prompts that got nothing."""
    print(f"asking {vault} …", file=sys.stderr)
    foreign = thin(read_foreign((DATA / "prompts" / "foreign_dev.jsonl").read_bytes()), most)
    own = thin(read_own((DATA / "prompts" / f"own_{vault}.jsonl").read_bytes()), most)
    kinds = {
        "foreign": [prompt.text for prompt in foreign],
        "foreign_without_names": [prompt.nameless for prompt in foreign if prompt.nameless],
        "own": [question.text for question in own],
    }
    desk = Desk(folder)
    desk.take(DATA / f"vault-{vault}")
    desk.configure(embedder="none")
    since = time.time()
    figures = {kind: _compare(desk, kind, prompts) for kind, prompts in kinds.items()}
    return {**figures, "hooks_lost": desk.count_losses(since, "prompt")}


def _compare(desk: Desk, kind: str, prompts: Sequence[str]) -> dict[str, object]:
    """The share of prompts without an answer by the hook, and through the API."""
    hook = [
        not desk.tell("prompt", f"{kind}-{number}", prompt)[1]
        for number, prompt in enumerate(prompts)
    ]
    direct = [not ids for ids in desk.ask(prompts)]
    pairs = zip(prompts, hook, direct, strict=True)
    return {
        "prompts": len(prompts),
        "silent_hook": round(sum(hook) / len(prompts), 3),
        "silent_api": round(sum(direct) / len(prompts), 3),
        "differ": [prompt for prompt, one, other in pairs if one != other],
    }
