"""No note acts on a page: nothing runs, nothing asks another host, and each page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.adapters.web.asking import PREFIX
from engrain.adapters.web.templating import render_markdown
from unit.adapters.web.hostile import ACTIVE, BROKEN, leave_all
from unit.adapters.web.visiting import Browser, Reader, Seen

OURS = re.compile(rf"{PREFIX}/|[?#]|$")
LEADING = ("http://", "https://", "mailto:")
TAGS = {
    *("html", "head", "meta", "title", "link", "script", "body", "header", "nav", "main", "footer"),
    *("a", "form", "input", "button", "label", "select", "option", "textarea", "details"),
    *("summary", "section", "article", "div", "span", "p", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("pre", "code", "kbd", "strong", "em", "del", "ins", "s", "b", "i", "blockquote", "time"),
    *(
        "svg",
        "path",
        "rect",
        "polyline",
        "line",
        "circle",
        "text",
        "figure",
        "figcaption",
        "br",
        "hr",
    ),
}
ASKING = ("src", "srcset", "data", "poster", "background", "ping", "formaction", "hx-get", "action")


def find_active(seen: Reader) -> list[str]:
    """What on a page would run, style, or ask for something but our own files."""
    found = []
    for one in seen.elements:
        at = one.attributes
        found += [one.tag] if one.tag not in TAGS else []
        found += [f"{one.tag} {name}" for name in at if name.startswith(("on", "hx-on", "data-hx"))]
        found += ["style"] if "style" in at else []
        found += [
            f"{name}={at[name]}" for name in ASKING if name in at and not OURS.match(at[name])
        ]
        href = at.get("href", "")
        if one.tag == "link" or (one.tag == "a" and not href.startswith(LEADING)):
            found += [] if OURS.match(href) or ":" not in href.partition("/")[0] else [href]
        if one.tag == "a" and href.startswith(LEADING):
            found += [] if "noreferrer" in at.get("rel", "") else [f"no rel: {href}"]
        if one.tag == "script":
            found += [] if at["src"].startswith(f"{PREFIX}/static/") else [at["src"]]
        if one.tag == "meta" and "http-equiv" in at:
            found.append("http-equiv")
    return found


@pytest.mark.parametrize("text", [*ACTIVE, *BROKEN])
def test_no_text_acts_when_it_is_rendered(text: str) -> None:
    html = str(render_markdown(text))
    assert find_active(Reader(html)) == []
    assert not re.search("[\u200b\u202a-\u202e\u2066-\u2069\x00\x1b]", html)


def test_every_page_renders_two_hundred_hostile_notes_and_none_acts(
    memory: Memory, browser: Browser, vault: Path
) -> None:
    assert leave_all(vault) >= 200
    everywhere = Scope(all_projects=True, include_inbox=True, include_archive=True)
    rows = memory.list(scope=everywhere, limit=1000).rows
    assert len(rows) >= 190
    memory.review.propose("archive", rows[0].id, "<script>alert(1)</script>")
    seen: list[Seen] = [browser.get(path) for path in ("/", "/people", "/sessions", "/experience")]
    seen += [browser.get("/search", limit="1000"), browser.get("/search", status="inbox")]
    for query in ("locks", "<script>alert(1)</script>", "javascript:alert(1)"):
        seen += [browser.get("/search", q=query, why="1", profile="deep", include_inbox="1")]
    seen += [browser.get("/timeline", limit="1000"), browser.get("/inbox"), browser.get("/care")]
    for path in ("/entry", "/timeline", "/change", "/undo", "/person", "/session", "/proposal"):
        seen.append(browser.get(path, id="<script>", name="<script>"))
    for row in rows:
        reference = row.id if row.primary else row.locator
        seen += [browser.get("/entry", id=reference), browser.get("/entry/edit", id=reference)]
        seen.append(browser.get("/graph", id=reference))
    for change in memory.history(None, 300):
        seen.append(browser.get("/change", name=change.change))
    for one in memory.facts.entities():
        seen.append(browser.get("/person", name=one.slug))
    broken = [(one.path, one.status) for one in seen if one.status >= 500]
    assert broken == []
    assert [(one.path, find_active(one.page)) for one in seen if find_active(one.page)] == []
    assert not [
        one.path
        for one in seen
        if re.search("[\u202a-\u202e\u2066-\u2069]", one.html)
        and not one.path.startswith("/entry/edit")
    ]


def test_a_title_of_a_megabyte_makes_no_page_of_one(browser: Browser, vault: Path) -> None:
    place = vault / "Memory" / "fix" / "huge.md"
    place.parent.mkdir(parents=True)
    place.write_text(f"# {'A' * 1_000_000}\n\nabout locks\n")
    for path in ("/", "/search", "/timeline"):
        assert len(browser.get(path).html) < 100_000


def test_an_edit_of_a_hostile_text_keeps_it_to_the_letter(memory: Memory, browser: Browser) -> None:
    text = "</textarea><script>alert(1)</script> \u202eback\u202c &amp; {{ 7 }}"
    id_ = memory.save(text, title="Odd", kind="fix").id
    form = browser.get("/entry/edit", id=id_).form("", id=id_)
    browser.send("/entry/edit", form, tags="x")
    assert memory.show(id_).entry.text.strip() == text


@pytest.mark.parametrize(
    "html",
    [
        "<script src='http://evil.example/x.js'></script>",
        "<p onclick='x()'>",
        "<p style='x'>",
        "<a href='javascript:x()'>x</a>",
        "<a href='http://evil.example/'>x</a>",
        "<img src='/console/x.png'>",
        "<form action='http://evil.example/'>",
        "<meta http-equiv=refresh content='0'>",
    ],
)
def test_what_acts_is_noticed(html: str) -> None:
    assert find_active(Reader(html))
