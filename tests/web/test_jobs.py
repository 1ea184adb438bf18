"""What a person changes, each done in a browser with and without scripts."""

from __future__ import annotations

import json
from itertools import count

from playwright.sync_api import expect

from unit.adapters.shell import Shell
from web.conftest import Console, Visitor, run_python

PROPOSE = """
import sys
from engrain import open_memory
trust, *ids = sys.argv[1:]
with open_memory(trust=trust) as memory:
    for id_ in ids:
        memory.review.propose("archive", id_, "old")
"""
_NUMBERS = count(1)
LONG = " Nothing much happened on that day at all." * 30
LOCK = "Take an advisory lock before the nightly job, or two of them run at once."


def save(shell: Shell, text: str, title: str, *more: str) -> str:
    """Save an entry that no other test knows, since they share a vault; its id."""
    text = f"{text} Number {next(_NUMBERS)}."
    done = shell.run("save", text, "--title", title, "--kind", "fix", "--json", *more)
    assert done.code == 0, done.err
    id_ = json.loads(done.out)["data"]["id"]
    assert isinstance(id_, str)
    return id_


def show(shell: Shell, id_: str) -> dict[str, object]:
    data = json.loads(shell.run("show", id_, "--json").out)["data"]
    assert isinstance(data, dict)
    return data


def test_the_token_is_gone_from_the_address(visitor: Visitor) -> None:
    assert "token" not in visitor.page.url
    (cookie,) = visitor.page.context.cookies()
    assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
    assert visitor.page.title() == "Home · Engrain"


def test_looking_and_searching_count_nothing(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, "Penguins waddle before the quarterly audit.", "Waddling")
    page = visitor.open("search")
    page.get_by_label("What an agent would ask").fill("penguins waddle quarterly audit")
    page.get_by_role("button", name="Search").click()
    page.locator(".results .title").first.click()
    expect(page.get_by_text("not yet")).to_be_visible()
    assert show(shell, id_)["recall_count"] == 0


def test_an_entry_is_edited_forgotten_and_restored(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry?id={id_}")
    page.get_by_role("link", name="Edit or evolve").click()
    page.get_by_label("Text").fill("Take two locks.\nIn this order.")
    page.get_by_role("button", name="Save in place").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    assert str(show(shell, id_)["text"]).strip() == "Take two locks.\nIn this order."
    page.get_by_role("button", name="Forget").click()
    assert show(shell, id_)["status"] == "deleted"
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_role("button", name="Forget")).to_be_visible()
    assert show(shell, id_)["status"] == "active"


def test_an_entry_is_pinned_archived_and_followed_by_another(
    shell: Shell, visitor: Visitor
) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry?id={id_}")
    for action, status in (("Pin", "active"), ("Unpin", "active"), ("Archive", "archived")):
        page.get_by_role("button", name=action, exact=True).click()
        expect(page.get_by_role("status")).to_be_visible()
        assert show(shell, id_)["status"] == status
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("link", name="Edit or evolve").click()
    page.get_by_label("Text").fill("A queue does it now.")
    page.get_by_text("Evolve instead").click()
    page.get_by_label("Why").fill("no locks any more")
    page.get_by_role("button", name="Save the successor").click()
    expect(page.get_by_role("status")).to_contain_text("This is the successor now.")
    assert show(shell, page.url.partition("id=")[2])["supersedes"] == id_


def test_an_entry_from_outside_is_vouched_for(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK, "Forum advice", "--trust", "external")
    page = visitor.open(f"entry?id={id_}")
    expect(page.get_by_text("Came from outside")).to_be_visible()
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("status")).to_have_text("Confirmed: it counts as yours now.")
    expect(page.get_by_text("not confirmed by you")).to_have_count(0)
    expect(page.get_by_role("button", name="Confirm")).to_have_count(0)


def test_proposals_are_accepted_one_by_one_and_all_of_a_kind(
    shell: Shell, visitor: Visitor
) -> None:
    ids = [save(shell, LOCK + LONG, f"Lock {letter}") for letter in "abcd"]
    run_python(shell, PROPOSE, "agent", *ids[:3])
    run_python(shell, PROPOSE, "external", ids[3])
    page = visitor.open("")
    page.get_by_role("link", name="4 proposals").click()
    outside = page.locator(".cards > li", has_text="Lock d")
    outside.get_by_text("What would change").click()
    expect(outside.locator(".diff")).to_be_visible()
    rejected = page.locator(".cards > li", has_text="Lock a")
    rejected.get_by_label("because").fill("still in use")
    rejected.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_contain_text("1 rejected")
    page.get_by_role("button", name="Accept all").click()
    expect(page.get_by_role("status")).to_contain_text("2 accepted")
    statuses = [show(shell, one)["status"] for one in ids]
    assert statuses == ["active", "archived", "archived", "active"]
    outside.get_by_role("link", name="Lock d").click()
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("status")).to_contain_text("1 accepted")
    page = visitor.open("inbox")
    page.get_by_role("link", name="Decided").click()
    expect(page.locator(".cards > li", has_text="Lock a").first).to_contain_text("rejected")


def test_a_proposal_is_decided_by_tab_and_enter_alone(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK + LONG, "Lock by keys")
    run_python(shell, PROPOSE, "agent", id_)
    page = visitor.open("inbox")
    accept = page.locator(".cards button[value=accept]")
    expect(accept).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if accept.evaluate("one => one === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("1 accepted")
    assert show(shell, id_)["status"] == "archived"


def test_a_vault_that_disappears_is_reported_and_comes_back(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry?id={id_}")
    shell.vault.rename(shell.vault.with_name("away"))
    try:
        page.get_by_role("button", name="Forget").click()
        expect(page.get_by_role("alert")).to_contain_text("vault")
    finally:
        shell.vault.with_name("away").rename(shell.vault)
    page = visitor.open(f"entry?id={id_}")
    expect(page.get_by_role("button", name="Forget")).to_be_visible()


def test_of_two_browsers_that_edit_an_entry_the_slower_is_shown_both_texts(
    shell: Shell, opened: Console, visitor: Visitor, scripts: bool
) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry/edit?id={id_}")
    with opened.visit(scripts=scripts) as faster:
        faster.open(f"entry/edit?id={id_}").get_by_label("Text").fill("Somebody was faster.")
        faster.page.get_by_role("button", name="Save in place").click()
        expect(faster.page.get_by_role("status")).to_have_text("Saved.")
    page.get_by_label("Text").fill("This one is mine.")
    page.get_by_role("button", name="Save in place").click()
    expect(page.get_by_role("alert")).to_contain_text("The entry has changed meanwhile")
    expect(page.locator(".note")).to_contain_text("Somebody was faster.")
    expect(page.get_by_label("Text")).to_have_value("This one is mine.")
    assert str(show(shell, id_)["text"]).strip() == "Somebody was faster."


def test_a_change_is_taken_back_with_what_was_derived_from_it(
    shell: Shell, visitor: Visitor
) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    derived = save(shell, "Two locks.", "Derived", "--derived-from", id_)
    page = visitor.open(f"entry?id={id_}")
    page.locator(".changes .verb").first.click()
    page.get_by_role("link", name="Undo it…").click()
    expect(page.get_by_role("link", name="Derived", exact=True)).to_be_visible()
    page.get_by_label("take back what was derived from it too").check()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status")).to_contain_text("Taken back by")
    assert [show(shell, one)["status"] for one in (id_, derived)] == ["deleted", "deleted"]


def test_an_entry_is_erased_once_the_word_is_typed(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry?id={id_}")
    page.get_by_role("link", name="Erase…").click()
    page.get_by_role("button", name="Find what it would destroy").click()
    page.get_by_label("Type erase to confirm").fill("yes")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_role("alert")).to_contain_text("Nothing was erased")
    assert show(shell, id_)["status"] == "active"
    page.get_by_label("Type erase to confirm").fill("erase")
    page.get_by_role("button", name="Erase for good").click()
    further = page.get_by_role("link", name="Show the progress")
    while further.is_visible():  # it goes on where it takes its time
        page.goto(page.url)
    expect(page.get_by_role("heading", name="Erased")).to_be_visible()
    assert shell.run("show", id_).code == 3


def test_a_dispute_is_settled_and_a_fact_forgotten(
    shell: Shell, visitor: Visitor, scripts: bool
) -> None:
    name = "Bob Alder" if scripts else "Eve Birch"
    for town in ("Rome", "Oslo"):
        said = ["fact", "add", "--entity", name, f"{name} lives in {town}.", "--ref", town]
        assert shell.run(*said, "--date", "2026-01-01").code == 0
    page = visitor.open("people?disputed=1")
    page.get_by_role("link", name=name).click()
    oslo = page.locator("li", has_text=f"{name} lives in Oslo.")
    oslo.get_by_role("button", name="This one").click()
    expect(page.get_by_role("status")).to_contain_text("Settled")
    expect(page.get_by_text("Which of these facts is true?")).to_have_count(0)
    page.get_by_role("row", name="Rome").get_by_role("button", name="Forget").click()
    expect(page.get_by_role("status")).to_contain_text("Forgotten")
    data = json.loads(shell.run("entity", "show", name, "--all", "--json").out)["data"]
    assert [fact["content"] for fact in data["items"]] == [f"{name} lives in Oslo."]


def test_a_job_is_run(shell: Shell, visitor: Visitor) -> None:
    save(shell, LOCK, "Nightly lock")
    page = visitor.open("care")
    page.get_by_role("button", name="Run map now").click()
    expect(page.locator(".notice")).to_contain_text("map: ok")
