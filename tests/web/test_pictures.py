"""Eight pages of the sample vault, as a person sees them, light and dark, wide and narrow;
`tasks.py pictures` keeps what is seen here for the documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from unit.adapters.shell import Shell
from web.conftest import Visitor, console

MOST_BYTES = 300_000
"""A page may weigh so much with all that it loads."""
PICTURES = Path(__file__).parents[2] / "docs" / "figures" / "console"
_WIDE, _NARROW = (1160, 640), (390, 700)
_ENTRY = "duplicate-charge-on-webhook-retry"
_PAGES = {
    "home": ("", "light", _WIDE),
    "inbox": ("inbox", "dark", _WIDE),
    "search": ("search?q=a+webhook+charged+the+customer+twice&why=1", "light", _WIDE),
    "entry": (f"entry?id={_ENTRY}", "light", _WIDE),
    "graph": ("graph", "dark", _WIDE),
    "timeline": ("timeline", "light", _WIDE),
    "list": ("search", "dark", _NARROW),
    "session": ("session?name=billing-0815", "light", _NARROW),
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_eight_pages_of_the_sample_are_shown_whole_and_weigh_little(
    chromium: Browser, sample: Shell, pictures: bool, scheme: str
) -> None:
    assert json.loads(sample.run("review", "list", "--json").out)["data"]["proposals"]
    shown = {name: page for name, page in _PAGES.items() if page[1] == scheme}
    with console(sample) as address:
        context = chromium.new_context(color_scheme="dark" if scheme == "dark" else "light")
        visitor = Visitor(context, address)
        sizes: list[int] = []
        visitor.page.on("response", lambda answer: sizes.append(len(answer.body())))
        for name, (path, _, (width, height)) in shown.items():
            sizes.clear()
            visitor.page.set_viewport_size({"width": width, "height": height})
            page = visitor.open(path)
            page.wait_for_load_state()
            assert page.get_by_role("heading", level=1).count() == 1
            assert sum(sizes) < MOST_BYTES
            if pictures:
                page.wait_for_timeout(500)
                PICTURES.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=PICTURES / f"{name}.png")
        context.close()
    assert visitor.said == []


def test_the_documents_have_each_picture() -> None:
    assert {path.stem for path in PICTURES.glob("*.png")} == set(_PAGES)
