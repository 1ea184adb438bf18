"""Ten pages of the sample vault, as a person sees them; `tasks.py pictures` keeps what is seen here
for the documents."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import Browser

from unit.adapters.shell import Shell
from web.conftest import Visitor, console

MOST_BYTES = 300_000
"""A page may weigh so much with all that it loads, but for the graph."""
PICTURES = Path(__file__).parents[2] / "docs" / "figures" / "console"
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
    chromium: Browser, sample: Shell, pictures: bool
) -> None:
    assert json.loads(sample.run("review", "list", "--json").out)["data"]["proposals"]
    with console(sample) as address:
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
