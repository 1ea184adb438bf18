"""Questions asked of what the approved places have now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import Memory
from engrain.model.errors import UsageError
from support.repositories import commit
from support.site import Site, rss
from unit.learn.forward.world import LOCKS, PASTA, TIDES
from unit.learn.reflection.model import serving
from unit.lifecycle.sessions.living import entry_of

QUESTION = "Who says that the vacuum needs no lock?"
_SECRET = "AKIA" + "Q3ZL7NPXW2RTYV5B"


def test_what_answers_is_quoted_with_where_it_is_from(memory: Memory, site: Site) -> None:
    memory.sources.approve(site.put("/feed", rss(PASTA, TIDES, LOCKS)), name="blog")
    answer, kept = memory.sources.research(QUESTION)
    assert (answer.form, answer.passages, kept) == ("rules", 3, [])
    first = answer.findings[0]
    assert (first.number, first.score) == (1, 1.0)
    assert first.passage.item.ref == f"{site.url}/locks"
    assert "needs no advisory lock" in first.quoted
    assert memory.review.list() == []


def test_all_kinds_of_places_are_searched_whatever_was_read_before(
    memory: Memory, site: Site, tmp_path: Path
) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").write_text(LOCKS["description"])
    commit(tmp_path / "code", "Vacuum without a lock, at last", README_md="Nothing.\n")
    memory.sources.approve(site.put("/feed", rss(LOCKS), headers={"ETag": "1"}))
    memory.sources.approve(site.put("/page", f"<p>{LOCKS['description']}", "text/html"), kind="url")
    memory.sources.approve(str(folder))
    memory.sources.approve(str(tmp_path / "code"))
    memory.sources.learn()
    answer, _ = memory.sources.research("vacuum lock")
    found = {one.source.source.kind for one in answer.findings}
    assert found == {"feed", "url", "folder", "repository"}
    only, _ = memory.sources.research("vacuum lock", "papers")
    assert {one.source.source.name for one in only.findings} == {"papers"}


def test_what_is_found_goes_to_the_inbox_where_it_is_asked_for(memory: Memory, site: Site) -> None:
    memory.sources.approve(site.put("/feed", rss(PASTA, LOCKS)), name="blog")
    _, kept = memory.sources.research("how is pasta salted", keep=True)
    (candidate,) = kept
    entry = entry_of(memory, candidate.id)
    assert (entry.status, entry.trust, entry.title) == ("inbox", "external", PASTA["title"])
    assert "you asked “how is pasta salted”" in entry.text
    assert [one.target for one in memory.review.list()] == [candidate.id]
    assert memory.sources.research("how is pasta salted", keep=True)[1] == []


def test_of_one_document_two_passages_answer_at_most(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    part = "## Part {}\n\n" + "The vacuum takes a lock. " * 40
    (folder / "long.md").write_text("\n\n".join(part.format(number) for number in range(9)))
    (folder / "short.md").write_text("A lock is a lock.")
    memory.sources.approve(str(folder))
    answer, _ = memory.sources.research("vacuum lock")
    names = [one.passage.item.key for one in answer.findings]
    assert names == ["long.md", "long.md", "short.md"]
    assert len(memory.sources.research("vacuum lock", limit=1)[0].findings) == 1


def test_nothing_is_said_where_nothing_answers(memory: Memory, site: Site) -> None:
    memory.sources.approve(site.put("/feed", rss(PASTA)))
    assert memory.sources.research("quantum chromodynamics")[0].findings == []
    with pytest.raises(UsageError, match="no words"):
        memory.sources.research("?!")


def test_a_place_that_fails_is_told_beside_what_the_others_have(memory: Memory, site: Site) -> None:
    memory.sources.approve(f"{site.url}/gone", name="gone", kind="feed")
    memory.sources.approve(site.put("/feed", rss(LOCKS)), name="blog")
    answer, _ = memory.sources.research(QUESTION)
    assert answer.failed and len(answer.findings) == 1
    assert [one.error for one in answer.sources] == ["127.0.0.1 refuses with status 404", ""]


def use_model(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for name, value in {"LLM_URL": url, "LLM_MODEL": "small", "LEARN_FORM": "llm"}.items():
        monkeypatch.setenv(f"ENGRAIN_{name}", value)


def test_a_model_sums_up_and_is_held_to_what_it_quotes(
    memory: Memory, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = LOCKS["description"] + f" The key is {_SECRET} of it."
    memory.sources.approve(site.put("/feed", rss({**LOCKS, "description": words}, PASTA)))
    said = [
        {"text": "No lock is needed.", "n": 1, "quote": "needs no advisory lock in Postgres"},
        {"text": "Made up.", "n": 1, "quote": "needs three advisory locks"},
        {"text": "Of none.", "n": 7, "quote": "needs no advisory lock"},
        {"text": "Too little.", "n": 1, "quote": "lock"},
        {"text": "", "n": 1, "quote": "needs no advisory lock"},
        "no object",
    ]
    with serving(json.dumps({"sentences": said})) as (url, asked):
        use_model(monkeypatch, url)
        answer, _ = memory.sources.research(QUESTION)
    assert [(one.text, one.cites) for one in answer.claims] == [("No lock is needed.", (1,))]
    assert answer.form == "llm:small"
    assert _SECRET not in asked[0]


@pytest.mark.parametrize("says", ["no JSON", "[]", '{"sentences": 7}'])
def test_a_model_that_says_nothing_of_use_leaves_the_quotations(
    memory: Memory, site: Site, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    memory.sources.approve(site.put("/feed", rss(LOCKS)))
    with serving(says) as (url, _):
        use_model(monkeypatch, url)
        answer, _ = memory.sources.research(QUESTION)
    assert (answer.claims, len(answer.findings)) == ([], 1)


def test_without_its_server_the_form_is_that_of_the_rules(
    memory: Memory, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.sources.approve(site.put("/feed", rss(LOCKS)))
    with serving("", status=404) as (url, _):
        use_model(monkeypatch, url)
        assert memory.sources.research(QUESTION)[0].form == "rules"
