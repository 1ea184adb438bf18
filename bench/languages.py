"""Questions in other languages than the memories.

python -m bench.languages                              every embedder
python -m bench.languages --embedders none,local       some of them

`languages.json` has eight requests about the memories of `moment/memories.json` in the development
sets, each in English and by hand in five other languages, with the memory that is meant. Shares by
language: `ranked` has the memory among the first three, also where recall is silent; `given` has it
among the first three of what recall gives.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path

from bench.corpus import DATA
from engrain import open_memory

QUESTIONS = Path(__file__).with_name("languages.json")
MEMORIES = DATA / "moment" / "memories.json"
EMBEDDERS = ("none", "static", "local", "local-multilingual")
ENGLISH = "en"
FIRST = 3
_BEGIN = 1_767_225_600
_DAY = 86_400


def measure(embedder: str, folder: Path) -> dict[str, dict[str, float]]:
    """Return the shares with one embedder, by language and, in `others`, of all but English."""
    os.environ["ENGRAIN_EMBEDDER"] = embedder
    asked = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    ids = {}
    ranked: dict[str, list[bool]] = {}
    given: dict[str, list[bool]] = {}
    with open_memory(
        folder / "vault", state_dir=folder / "state", keys_dir=folder / "keys", create=True
    ) as memory:
        for number, one in enumerate(json.loads(MEMORIES.read_text(encoding="utf-8"))):
            saved = memory.save(
                one["text"], title=one["title"], kind=one["kind"], created=_BEGIN + number * _DAY
            )
            ids[saved.id] = one["id"]
        memory.scan()
        if embedder != "none":
            memory.embed()
        memory.jobs.run(["calibrate"])
        for each in asked:
            for language, question in each["asked"].items():
                found = memory.recall(question, limit=5, budget=1500, scan=False)
                first = [ids[one.row.id] for one in (found.results or found.nearest)[:FIRST]]
                ranked.setdefault(language, []).append(each["gold"] in first)
                given.setdefault(language, []).append(bool(found.results) and each["gold"] in first)
    return {"ranked": _share(ranked), "given": _share(given)}


def _share(hits: dict[str, list[bool]]) -> dict[str, float]:
    others = [hit for language, found in hits.items() if language != ENGLISH for hit in found]
    return {
        name: round(sum(found) / len(found), 3)
        for name, found in {**hits, "others": others}.items()
    }


def main() -> None:
    """Measure the embedders and print the shares as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--embedders", default=",".join(EMBEDDERS))
    found = {}
    for embedder in parser.parse_args().embedders.split(","):
        with tempfile.TemporaryDirectory(prefix="engrain-languages-") as folder:
            found[embedder] = measure(embedder, Path(folder))
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
