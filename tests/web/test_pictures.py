"""Ten pages of the sample vault, as a person sees them; `tasks.py pictures` keeps what is seen here
for the documents."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import Browser

from unit.adapters.shell import Shell
from web.conftest import Visitor, console

MOST_BYTES = 300_000
"""A page may weigh so much with all that it loads, but for the graph."""
PICTURES = Path(__file__).parents[2] / "docs" / "figures" / "console"
_PREPARE = """
import sys
from engrain import open_memory
from engrain.engine.core.scope import Scope
from engrain.model.facts.fact import FactDraft
with open_memory(project="billing") as memory:
    rows = memory.list(scope=Scope(kinds=["fix", "memory"])).rows
    for row in rows[:3]:
        memory.review.propose("archive", row.id, "not recalled in 9 sessions")
    for day, firm in ((1, "Acme"), (300, "Initech"), (300, "Umbrella")):
        said = f"Ilse works at {firm}."
        draft = FactDraft("Ilse Brandt", said, ref=firm, at=1_750_000_000.0 + day * 86_400)
        memory.facts.add_all([draft])
    memory.sessions.begin("release-4711")
    memory.recall("a webhook charged the customer twice", session="release-4711")
"""
_PAGES = {
    "home": "",
    "search": "search?q=a+webhook+charged+the+customer+twice&why=1",
    "entry": "entry?id=duplicate-charge-on-webhook-retry",
    "edit": "entry/edit?id=duplicate-charge-on-webhook-retry",
    "timeline": "timeline",
    "review": "review",
    "people": "person?name=ilse-brandt",
    "graph": "graph?id=duplicate-charge-on-webhook-retry",
    "session": "session?name=release-4711",
    "care": "care",
}


def test_ten_pages_of_the_sample_are_shown_whole_and_light(
    chromium: Browser, bare_shell: Shell, pictures: bool
) -> None:
    shell = bare_shell
    vault = shell.folder / "vault"
    assert shell.run("demo", "--keep", str(vault)).code == 0
    shell.environ |= {"ENGRAIN_VAULT": str(vault), "ENGRAIN_STATE_DIR": str(shell.state)}
    done = shell.sh(f"{sys.executable} - <<'END'\n{_PREPARE}\nEND")
    assert done.code == 0, done.err
    assert json.loads(shell.run("review", "list", "--json").out)["data"]["proposals"]
    with console(shell) as address:
        context = chromium.new_context(viewport={"width": 1100, "height": 800})
        visitor = Visitor(context, address)
        sizes: list[int] = []
        visitor.page.on("response", lambda answer: sizes.append(len(answer.body())))
        for name, path in _PAGES.items():
            sizes.clear()
            page = visitor.open(path)
            page.wait_for_load_state()
            assert page.get_by_role("heading", level=1).count() == 1
            assert sum(sizes) < MOST_BYTES
            if pictures:
                PICTURES.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=PICTURES / f"{name}.png")
        context.close()
    assert visitor.said == []


def test_the_documents_have_each_picture() -> None:
    assert {path.stem for path in PICTURES.glob("*.png")} == set(_PAGES)
