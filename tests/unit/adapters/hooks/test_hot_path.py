"""The list of the hot path names what hooks and everyday commands load, no more and no less."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

from house.frozen import HOT
from support.hosts import make_payload
from unit.adapters.hooks.running import LIMIT, Desk, command, git
from unit.inference.test_static import PIECES, write_matrix

QUESTION = "how does the nightly billing job lock in postgres?"
RECALL = ["-m", "engrain", "recall", QUESTION]
LIST = ["-m", "engrain", "list", "--limit", "5"]
SHOW = ["-m", "engrain", "show", "walruses-limp-on-ice"]
REQUIRED = [need for need in requires("engrain") or () if "extra ==" not in need]
SAVE = ["-m", "engrain", "save", "Walruses limp on ice."]


def load(desk: Desk, program: list[str], stdin: str = "") -> set[str]:
    """The modules of the package that a fresh process loads, those named by a string included."""
    done = subprocess.run(
        [sys.executable, "-v", *program],
        input=stdin.encode(),
        capture_output=True,
        check=True,
        cwd=desk.here,
        env=desk.environ,
        timeout=LIMIT,
    )
    found = re.findall(r"^import '(engrain[\w.]*)'", done.stderr.decode(), re.MULTILINE)
    return set(found)


def load_all(desk: Desk) -> set[str]:
    """What all of them load together: four commands, a session's events in order, and a recall
    with token vectors."""
    git(desk.here, "init", "-q")  # at a turn's end, a project's goal and what fits it are written
    edited = min(
        (desk.vault / "Memory").glob("*/*-*.md")
    )  # what another program changed is looked at
    edited.write_text(edited.read_text() + "\nThey rest.\n")
    found = load(desk, RECALL) | load(desk, SAVE) | load(desk, LIST) | load(desk, SHOW)
    for event in ("session-start", "prompt", "prompt", "stop", "pre-compact", "session-end"):
        more = {"prompt": QUESTION} if event == "prompt" else {}
        payload = make_payload("claude-code", event, "s-1", str(desk.here), **more)
        hook = command(event, "--host", "claude-code", budget=20.0)[1:]
        found |= load(desk, hook, json.dumps(payload))
    desk.environ |= add_token_vectors(desk.folder / "tiny")
    subprocess.run(
        [sys.executable, "-m", "engrain", "embed"], check=True, cwd=desk.here, env=desk.environ
    )
    return found | load(desk, RECALL)


def add_token_vectors(folder: Path) -> dict[str, str]:
    """Make a tiny model of token vectors; the settings that use it."""
    folder.mkdir()
    write_matrix(folder)
    (folder / "vocab.txt").write_text("\n".join(PIECES) + "\n")
    return {"ENGRAIN_EMBEDDER": "api,static", "ENGRAIN_EMBEDDER_STATIC_FOLDER": str(folder)}


def test_the_list_is_what_is_loaded(filled: Desk) -> None:
    loaded = load_all(filled)
    assert sorted(loaded - HOT) == [], "loaded, and not in src/engrain/hot_path.txt"
    assert sorted(HOT - loaded) == [], "listed, and loaded by none of them"


_REFUSE = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {refused}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
"""


def test_every_listed_module_loads_without_extras() -> None:
    # else the file of compiled modules could not be written where no extra is installed
    required = {re.split(r"[^\w-]", need)[0].lower() for need in REQUIRED}
    installed = packages_distributions()
    extras = {name for name, by in installed.items() if required.isdisjoint(map(str.lower, by))}
    code = _REFUSE.format(refused=extras - {"engrain"})
    loads = "".join(f"import {name}\n" for name in sorted(HOT))
    subprocess.run([sys.executable, "-c", code + loads], check=True, timeout=LIMIT)
    refused = subprocess.run([sys.executable, "-c", f"{code}import numpy"], capture_output=True)
    assert b"ModuleNotFoundError" in refused.stderr


def test_a_module_that_is_listed_in_vain_would_be_caught(filled: Desk) -> None:
    loaded = load(filled, RECALL)
    assert "engrain.engine.recall.pipeline" in loaded
    assert "engrain.engine.erasing.plan" not in loaded
