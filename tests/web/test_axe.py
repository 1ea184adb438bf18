"""What axe finds on each page: nothing serious, in light and dark, on wide and narrow screens."""

from __future__ import annotations

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from unit.adapters.shell import Shell
from web.conftest import Visitor, console

SERIOUS = ("serious", "critical")
_ENTRY = "duplicate-charge-on-webhook-retry"


def list_pages(shell: Shell) -> list[str]:
    """Every page there is, and what pages show where something is wrong."""
    change = json.loads(shell.run("history", "--limit", "1", "--json").out)["data"]["changes"][0]
    proposal = json.loads(shell.run("review", "list", "--json").out)["data"]["proposals"][0]["id"]
    return [
        "", "search", "search?q=a+webhook+charged+the+customer+twice&why=1", "search?q=penguins",
        f"entry?id={_ENTRY}", "entry?id=nobody", f"entry/edit?id={_ENTRY}",
        f"entry/erase?id={_ENTRY}", f"entry/erase?id={_ENTRY}&find=1", "timeline",
        f"change?name={change['change']}", f"undo?name={change['change']}",
        "inbox", "inbox?part=contradictions", "inbox?decided=1", f"proposal?id={proposal}",
        "people", "person?name=ilse-brandt", "graph", f"graph?id={_ENTRY}", "sessions",
        "session?name=release-4711", "experience", "care?check=1", "nowhere",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scheme", "width", "scripts"), [("light", 1100, True), ("dark", 360, False)]
)
def test_axe_finds_nothing_serious_on_any_page(
    chromium: Browser, sample: Shell, scheme: str, width: int, scripts: bool
) -> None:
    pages = list_pages(sample)
    found: list[tuple[str, str, str, list[str]]] = []
    with console(sample) as address:
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme="dark" if scheme == "dark" else "light",
            java_script_enabled=True,
        )
        visitor = Visitor(context, address)
        if not scripts:  # axe itself is one, so the page is kept from its own
            context.route("**/*.js", lambda route: route.abort())
        for path in pages:
            page = visitor.open(path)
            page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append((path, "wider than the screen", "", []))
            seen = Axe().run(page, options={"resultTypes": ["violations"]})
            found += [
                (path, one["id"], one["impact"], [node["html"][:120] for node in one["nodes"][:3]])
                for one in seen.response["violations"]
                if one["impact"] in SERIOUS
            ]
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        noticed = {one["id"] for one in Axe().run(page).response["violations"]}
        context.close()
    assert found == []
    assert "button-name" in noticed
