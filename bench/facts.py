"""Facts drawn by rules out of real conversations, each session in the order of time.

What is counted is what the vault holds afterwards: facts a session, pairs of active facts of one
entity that say the same, facts that turned historical; and what drawing and filing them costs.
Whether a fact is right nobody can count: `--sample` draws some, with the turns they are from, for
a person to judge.

python tasks.py bench --facts                     LoCoMo, as it lies with the data
python tasks.py bench --facts FILE                another file that `extract` reads
python tasks.py bench --facts --sample 100        and a sample of its facts, by seed
python tasks.py bench --facts --conversations conv-43,conv-50 --sample 100
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from bench.corpus import DATA
from bench.measure import describe_machine, in_child
from bench.read_sources import open_source
from bench.sets.benchmarks import parse_spoken_date
from engrain import Memory, open_memory
from engrain.learn.extraction.rules import find_facts
from engrain.model.facts.fact import Conversation
from engrain.model.facts.judging import DUPLICATE, judge

LOCOMO = DATA / "locomo" / "locomo_dev.json"

_EXTRACT = """
from engrain import open_memory
began = time.perf_counter()
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local", create=True) as memory:
    memory.list(limit=1)
    began = time.perf_counter()
    done, read_counts = memory.facts.extract([sys.argv[3]])
    seconds = time.perf_counter() - began
result = {"seconds": round(seconds, 2), "turns": done.turns, "outcomes": dict(done.outcomes)}
"""
_DRAW = """
from engrain.learn.extraction.rules import find_facts
from bench.facts import read
turns = [turn for one in read(sys.argv[1]) for turn in one.turns]
find_facts(turns[:10])
began = time.perf_counter()
for turn in turns:
    find_facts([turn])
result = {"seconds": time.perf_counter() - began, "turns": len(turns)}
"""


def main(argv: Sequence[str]) -> None:
    """Measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(
        prog="bench --facts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--sample", type=int, default=0, help="so many facts to judge by hand")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--conversations", help="sample of these only, comma-separated")
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        file = write_chats(args.file, Path(temp))
        told: dict[str, Any] = {"machine": describe_machine(), "facts": run(file)}
        if args.sample:
            only = tuple(args.conversations.split(",")) if args.conversations else ()
            told["sample"] = sample(file, args.sample, args.seed, only)
    print(json.dumps(told, indent=2, ensure_ascii=False))


def run(file: Path) -> dict[str, Any]:
    """What extracting a file twice into a new vault comes to."""
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        vault, state = Path(temp, "vault"), Path(temp, "state")
        first = in_child(_EXTRACT, str(vault), str(state), str(file))
        again = in_child(_EXTRACT, str(vault), str(state), str(file))
        drawing = in_child(_DRAW, str(file))
        with open_memory(vault, state_dir=state, backend="device-local") as memory:
            held = describe_held(memory)
    sessions = sum(1 for _ in read(str(file)))
    facts = held["active"] + held["historical"]
    return {
        "sessions": sessions,
        "turns": first["turns"],
        "facts": facts,
        "facts_a_session": round(facts / sessions, 2),
        **held,
        "outcomes": first["outcomes"],
        "again": again["outcomes"],
        "drawing_s_per_1000_turns": round(drawing["seconds"] / drawing["turns"] * 1000, 3),
        "extract_s_per_1000_turns": round(first["seconds"] / first["turns"] * 1000, 2),
        "peak_mib": first["peak_mib"],
    }


def describe_held(memory: Memory) -> dict[str, Any]:
    """What the entities of a vault hold: facts by state, pairs that say the same, and the text of
    each that turned historical."""
    counts: Counter[str] = Counter(active=0, historical=0, duplicates=0)
    turned: list[str] = []
    for filed in memory.facts.entities():
        entity = filed.entity
        counts["active"] += len(entity.active)
        counts["historical"] += len(entity.historical)
        turned += [fact.content for fact in entity.historical]
        counts["duplicates"] += sum(
            judge(one, [other]).kind == judge(other, [one]).kind == DUPLICATE
            for one, other in combinations(entity.active, 2)
        )
    return {**counts, "turned": turned}


def sample(file: Path, size: int, seed: int, only: Sequence[str] = ()) -> list[dict[str, str]]:
    """Facts with the turns they were drawn from."""
    drawn = [fact for fact in _draw(file) if not only or fact["session"].startswith(tuple(only))]
    random.Random(seed).shuffle(drawn)
    return drawn[:size]


def write_chats(file: Path, folder: Path) -> Path:
    """Write the sessions of a LoCoMo file as a chat that Engrain reads, and return its path."""
    chats = []
    for record in json.loads(file.read_bytes()):
        talk = record["conversation"]
        for session in sorted(int(key[8:]) for key in talk if re.fullmatch(r"session_\d+", key)):
            at = parse_spoken_date(talk.get(f"session_{session}_date_time", ""))
            messages = [
                {"speaker": said["speaker"], "text": said["text"], "id": said["dia_id"],
                 "timestamp": None if at is None else at + place}
                for place, said in enumerate(talk[f"session_{session}"])
            ]  # fmt: skip
            chats.append({"id": f"{record['sample_id']}/session_{session}", "messages": messages})
    path = folder / "locomo.json"
    path.write_text(json.dumps(chats))
    return path


def read(file: str) -> Iterator[Conversation]:
    """The conversations of a file, their turns as lists."""
    path = Path(file)
    yield from open_source(iter([path.read_bytes()]), path.name)[1]


def _draw(file: Path) -> Iterator[dict[str, str]]:
    for conversation in read(str(file)):
        for turn in conversation.turns:
            for draft in find_facts([turn]):
                yield {
                    "session": conversation.ref,
                    "turn": turn.key,
                    "entity": draft.entity,
                    "fact": draft.content,
                    "said": turn.text,
                }
