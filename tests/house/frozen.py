"""The places that broke a rule when it was made: they may become fewer, never more.

    python tests/house/frozen.py     drop from the lists what is mended

Each list is a file in `frozen/`: how often, and the place as its rule words it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [] if str(HERE.parent) in sys.path else [str(HERE.parent)]

from engrain.adapters.cli.commands import MODULES  # noqa: E402 - the path comes first
from house import rules  # noqa: E402
from house.reading import read_modules  # noqa: E402


def find_places() -> dict[str, Counter[str]]:
    """Rule -> the places that break it now, each with how often."""
    modules = read_modules()
    commands = {name: f"engrain.adapters.cli.{module}" for name, module in MODULES.items()}
    found: dict[str, Iterator[str]] = {
        "crowds": rules.find_crowds(modules),
        "crumbs": rules.find_crumbs(modules),
        "misnamed": rules.find_misnamed(modules, commands),
        "docstrings": rules.find_docstrings(modules),
        "branchy": rules.find_branchy(modules),
        "vague": rules.find_vague(modules),
    }
    return {rule: Counter(places) for rule, places in found.items()}


def read_frozen(rule: str) -> Counter[str]:
    """The places of a rule that were there when it was made, each with how often."""
    found: Counter[str] = Counter()
    for line in (HERE / "frozen" / f"{rule}.txt").read_text("utf-8").splitlines():
        count, _, place = line.partition(" × ")
        found[place] += int(count)
    return found


def main() -> None:
    """Write each list without the places that are mended."""
    for rule, places in find_places().items():
        left = sorted((read_frozen(rule) & places).items())
        path = HERE / "frozen" / f"{rule}.txt"
        path.write_text("".join(f"{count} × {place}\n" for place, count in left), "utf-8")
        print(f"{rule}: {len(left)} left")


if __name__ == "__main__":
    main()
