"""Install other memories for agents, measure all on one corpus, and write `docs/comparison.md`.

    python -m bench.peers                     everything; JSON in bench/out/peers
    python -m bench.peers --only mem0,txtai   some of them; the others' figures stay
    python -m bench.peers --page              write the page anew from the JSON

Each peer is installed from its registry into an environment of its own below bench/out/peers, and
driven by its adapter. The corpus is a folder with memories.json and prompts_dev.json (--data).
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from bench.peers import adapters, install, measure, page

ROOT = Path(__file__).resolve().parents[2]
OUT = ROOT / "bench/out/peers"
DATA = ROOT.parent / "shared/data/moment"


def main() -> None:
    """Measure the peers that are named, all of them if none is, and write the page."""
    names = [module.name for module in iter_modules(adapters.__path__)]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(names), help="names of adapters, with commas")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the corpus")
    parser.add_argument("--out", type=Path, default=OUT, help="where environments and JSON go")
    parser.add_argument("--install", action="store_true", help="only install")
    parser.add_argument("--page", action="store_true", help="only write the page from the JSON")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for name in [] if args.page else args.only.split(","):
        adapter = import_module(f"bench.peers.adapters.{name}")
        told = args.out / f"{name}.json"
        found: dict[str, object] = {"name": adapter.NAME, "setting": adapter.SETTING}
        try:
            found |= install.install(adapter, name, args.out, ROOT)
            if not args.install:
                found |= measure.measure(adapter, name, args.out, args.data)
        except install.NotInstalledError as error:
            found["failed"] = str(error)
        if not args.install or "failed" in found:
            told.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        print(json.dumps(found, indent=2), flush=True)
    if not args.install:
        page.write(ROOT / "docs/comparison.md", args.out, names)


if __name__ == "__main__":
    main()
