"""What a person comes for, each done in a browser with and without scripts."""

from __future__ import annotations

import json

from playwright.sync_api import expect

from unit.adapters.shell import Shell
from web.conftest import Visitor

LOCK = "Take an advisory lock before the nightly job, or two of them run at once."


def save(shell: Shell, text: str, title: str, *more: str) -> str:
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


def test_searching_finds_and_explains(shell: Shell, visitor: Visitor) -> None:
    save(shell, LOCK, "Nightly lock")
    page = visitor.open("search")
    page.get_by_label("What an agent would ask").fill("advisory lock for the nightly job")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".results .title")).to_have_text("Nightly lock")
    page.get_by_role("link", name="Why?").click()
    expect(page.get_by_role("rowheader", name="text")).to_be_visible()
    page.get_by_text("The block an agent would get").click()
    expect(page.locator(".block pre")).to_contain_text("Recalled from the user's memory vault")
    assert show(shell, "nightly-lock")["recall_count"] == 0


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


def test_who_is_slower_is_shown_both_texts(shell: Shell, visitor: Visitor) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open(f"entry/edit?id={id_}")
    hash_ = str(show(shell, id_)["hash"])
    assert shell.run("edit", id_, "Somebody was faster.", "--expect", hash_).code == 0
    page.get_by_label("Text").fill("This one is mine.")
    page.get_by_role("button", name="Save in place").click()
    expect(page.get_by_role("alert")).to_contain_text("It was changed meanwhile")
    expect(page.locator(".note")).to_contain_text("Somebody was faster.")
    expect(page.get_by_label("Text")).to_have_value("This one is mine.")
    assert str(show(shell, id_)["text"]).strip() == "Somebody was faster."


def test_a_change_is_taken_back_with_what_was_derived_from_it(
    shell: Shell, visitor: Visitor
) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    derived = save(shell, "Two locks.", "Derived", "--derived-from", id_)
    page = visitor.open(f"entry?id={id_}")
    page.get_by_role("link", name="save", exact=True).click()
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
    page.get_by_label("Type erase to confirm").fill("erase")
    page.get_by_role("button", name="Erase for good").click()
    expect(page.get_by_role("heading", name="Erased")).to_be_visible()
    assert shell.run("show", id_).code == 3


def test_a_dispute_is_settled(shell: Shell, visitor: Visitor) -> None:
    for town in ("Rome", "Oslo"):
        said = ["fact", "add", "--entity", "Bob", f"Bob lives in {town}.", "--ref", town]
        assert shell.run(*said, "--date", "2026-01-01").code == 0
    page = visitor.open("people?disputed=1")
    page.get_by_role("link", name="Bob").click()
    oslo = page.locator("li", has_text="Bob lives in Oslo.")
    oslo.get_by_role("button", name="This one").click()
    expect(page.get_by_role("status")).to_contain_text("Settled")
    expect(page.get_by_text("Which of these holds?")).to_have_count(0)


def test_a_job_is_run(visitor: Visitor) -> None:
    page = visitor.open("care")
    page.get_by_role("button", name="Run map now").click()
    expect(page.get_by_role("status")).to_contain_text("map:")
