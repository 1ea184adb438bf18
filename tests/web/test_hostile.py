"""Two hundred hostile notes in a real browser: nothing runs, and nobody else is asked."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser

from unit.adapters.shell import Shell
from unit.adapters.web.hostile import EVIL, leave_all
from web.conftest import Visitor, console


# A note of the inbox has a text in its title and in its body, the others in one of these.
@pytest.mark.parametrize(
    "left_out", [("body-", "title-", "field-"), pytest.param((), marks=pytest.mark.long)]
)
def test_no_note_runs_anything_or_asks_another_host(
    chromium: Browser, shell: Shell, left_out: tuple[str, ...]
) -> None:
    leave_all(shell.vault)
    listed = json.loads(shell.run("list", "--all-projects", "--include-inbox", "--json").out)
    rows = listed["data"]["results"]
    assert len(rows) > 150
    ids = [row["id"] for row in rows if not Path(row["path"]).name.startswith(left_out)]
    assert len(ids) > 50
    found = json.loads(shell.run("entity", "list", "--json").out)["data"]
    assert found["entities"]
    with console(shell) as address:
        context = chromium.new_context()
        visitor = Visitor(context, address)
        host = urlsplit(visitor.home).netloc
        paths = ["", "search?limit=1000", "search?q=locks&why=1&profile=deep", "timeline", "people"]
        paths += [f"entry?id={quote(id_, safe='')}" for id_ in ids]
        paths += [f"entry/edit?id={quote(id_, safe='')}" for id_ in ids[:20]]
        paths += [f"graph?id={quote(id_, safe='')}" for id_ in ids[:5]]
        paths += [f"person?name={quote(one['slug'], safe='')}" for one in found["entities"]]
        for path in paths:
            page = visitor.open(path)
            assert page.title() != "pwned"
        context.close()
    assert {urlsplit(asked).netloc for asked in visitor.asked} == {host}
    assert not [said for said in visitor.said if EVIL in said or "dialog" in said]
    assert not [said for said in visitor.said if "Content Security Policy" in said]
