"""What the person changes in the browser: as the commands do it, and over nobody's head."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from engrain import Memory
from engrain.adapters.web.pages import entry
from engrain.engine.erasing.erase import Erased
from engrain.engine.erasing.plan import ErasurePlan
from engrain.seam.derived import Progress
from support.vaults import make_memory
from unit.adapters.web.visiting import Browser


@pytest.fixture
def id_(memory: Memory) -> str:
    return memory.save("Take a lock first.", title="Nightly lock", kind="fix").id


def test_an_edit_changes_the_text_and_nothing_else(
    memory: Memory, browser: Browser, id_: str
) -> None:
    form = browser.get("/entry/edit", id=id_).form("", id=id_)
    assert form["text"].strip() == "Take a lock first."
    seen = browser.send("/entry/edit", form, text="Take two locks.\r\nIn this order.")
    entry = memory.show(id_).entry
    assert (seen.status, "Saved." in seen.text) == (200, True)
    assert entry.text.strip() == "Take two locks.\nIn this order."
    assert (entry.title, entry.kind) == ("Nightly lock", "fix")


def test_a_form_that_changes_nothing_writes_nothing(
    memory: Memory, browser: Browser, id_: str
) -> None:
    before = memory.show(id_).entry.hash
    form = browser.get("/entry/edit", id=id_).form("", id=id_)
    assert "Nothing was changed" in browser.send("/entry/edit", form).text
    assert memory.show(id_).entry.hash == before


def test_of_two_browsers_the_second_is_shown_both_texts(memory: Memory, id_: str) -> None:
    one, other = Browser(memory), Browser(memory)
    first = one.get("/entry/edit", id=id_).form("", id=id_)
    second = other.get("/entry/edit", id=id_).form("", id=id_)
    assert one.send("/entry/edit", first, text="The first one's.").status == 200
    for path in ("/entry/edit", "/entry/evolve"):
        seen = other.send(path, second, text="The second one's.")
        assert seen.status == 409
        assert "The first one's." in seen.text
        assert seen.form("", id=id_)["text"] == "The second one's."
    assert memory.show(id_).entry.text.strip() == "The first one's."
    again = other.send("/entry/edit", seen.form("", id=id_))
    assert again.status == 200
    assert memory.show(id_).entry.text.strip() == "The second one's."


@pytest.mark.parametrize("origin", ["operator", "agent", "external"])
def test_an_edited_entry_keeps_its_origin(away: Path, origin: str) -> None:
    with make_memory(away, trust=origin) as memory:
        id_ = memory.save("As it was.", title="A note", kind="fix").id
    with make_memory(away) as memory:
        browser = Browser(memory)
        form = browser.get("/entry/edit", id=id_).form("", id=id_)
        assert browser.send("/entry/edit", form, text="As it is.").status == 200
        assert memory.show(id_).origin == origin


def test_evolving_puts_a_successor_in_its_place(memory: Memory, browser: Browser, id_: str) -> None:
    form = browser.get("/entry/edit", id=id_).form("", id=id_)
    browser.send("/entry/evolve", form, text="No lock any more.", reason="a queue now")
    entry = memory.show("nightly-lock").entry
    assert (entry.supersedes, entry.text.strip()) == (id_, "No lock any more.")
    assert memory.history(entry.id)[0].reason == "a queue now"


def test_forget_restore_pin_archive_and_vouch_do_as_the_commands(
    memory: Memory, browser: Browser, id_: str
) -> None:
    def act(action: str) -> str:
        form = browser.get("/entry", id=id_).form("/entry/act", id=id_)
        assert browser.send("/entry/act", form, action=action).status == 200
        return memory.show(id_).entry.status

    statuses = {action: act(action) for action in ("forget", "restore", "pin", "unpin", "archive")}
    assert statuses == {
        "forget": "deleted",
        "restore": "active",
        "pin": "active",
        "unpin": "active",
        "archive": "archived",
    }
    assert act("restore") == "active"
    act("vouch")
    assert memory.show(id_).origin == "operator"


def test_an_unfiled_note_is_filed_or_forgotten_by_one_button(
    memory: Memory, browser: Browser
) -> None:
    kept, gone = (
        memory.save(f"Perhaps {word}.", title=word, kind="fix", status="inbox").id
        for word in ("Keep", "Drop")
    )
    form = browser.get("/inbox").form("/inbox", id=kept)
    assert "1 accepted" in browser.send("/inbox", form, action="file").text
    form = browser.get("/inbox", part="unfiled").form("/inbox", id=gone)
    assert "“Drop” is forgotten" in browser.send("/inbox", form, action="forget").text
    assert memory.show(kept).entry.status == "active"
    assert memory.show(gone).entry.status == "deleted"
    assert "Nothing waits for you" in browser.get("/inbox").text


def test_of_two_that_contradict_each_other_one_button_keeps_the_one_that_holds(
    memory: Memory, browser: Browser, id_: str
) -> None:
    other = memory.save("Take no lock at all.", title="Lock-free", kind="fix").id
    memory.link(id_, other, "contradicts")
    form = browser.get("/inbox").form("/inbox", id=id_)
    browser.send("/inbox", form, action="forget")
    assert memory.show(id_).entry.status == "deleted"
    assert memory.show(other).entry.status == "active"
    assert memory.history(id_)[0].reason == "contradicted by Lock-free"


def test_two_entities_are_merged_and_split_by_buttons(memory: Memory, browser: Browser) -> None:
    memory.facts.add("Robert Lee", "Robert Lee works at Acme.")
    memory.facts.add("Bob", "Bob plays chess.")
    form = browser.get("/person", name="robert-lee").form("/person")
    seen = browser.send("/person", form, action="merge", other="bob")
    assert "bob is a part of Robert Lee now" in seen.text
    assert "Bob plays chess." in seen.text
    form = seen.form("/person", change=memory.history(memory.facts.entity("bob").id)[0].change)
    assert "They are two again" in browser.send("/person", form, action="split").text
    assert [one.entity.name for one in memory.facts.entities()] == ["Bob", "Robert Lee"]
    assert "Bob plays chess." not in browser.get("/person", name="robert-lee").text


def test_an_action_that_there_is_not_is_refused(browser: Browser, id_: str) -> None:
    form = {"csrf": browser.csrf, "id": id_, "action": "explode"}
    assert browser.send("/entry/act", form).status == 400


def test_erasing_needs_the_word_typed(
    memory: Memory, browser: Browser, id_: str, vault: Path
) -> None:
    assert "Nothing is destroyed yet" in browser.get("/entry/erase", id=id_).text
    form = browser.get("/entry/erase", id=id_, find="1").form("/entry/erase", id=id_)
    seen = browser.send("/entry/erase", form, word="yes")
    assert (seen.status, "Nothing was erased" in seen.text) == (400, True)
    assert memory.show(id_).entry.status == "active"
    done = browser.send("/entry/erase", form, word="erase")
    assert (done.status, "Erased" in done.text) == (200, True)
    left = b"".join(path.read_bytes() for path in vault.rglob("*") if path.is_file())
    assert b"Take a lock first" not in left


def test_an_erasure_that_takes_its_time_goes_on_and_tells_how_far_it_is(
    memory: Memory, browser: Browser, id_: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits before its end until the page has been seen."""
    seen = Event()
    erase = memory.erase

    def wait(plan: ErasurePlan, progress: Progress) -> Erased:
        progress(7, None)
        seen.wait(60)
        return erase(plan, progress)

    monkeypatch.setattr(entry, "_PATIENCE", 0.0)
    monkeypatch.setattr(type(memory), "erase", lambda _, plan, progress: wait(plan, progress))
    form = browser.get("/entry/erase", id=id_, find="1").form("/entry/erase", id=id_)
    try:
        assert "Erasing" in browser.send("/entry/erase", form, word="erase").text
        while "7 steps done" not in browser.get("/entry/erased").text:
            pass
        assert browser.send("/entry/erase", form, word="erase").status == 409
        assert memory.show(id_).entry.status == "active"
    finally:
        seen.set()
    while "Erasing" in (shown := browser.get("/entry/erased").text):
        pass
    assert id_ in shown and "It does not reach" in shown


def test_where_nothing_was_erased_there_is_nothing_to_show(browser: Browser) -> None:
    assert "<h1>Erased" not in browser.get("/entry/erased").text
