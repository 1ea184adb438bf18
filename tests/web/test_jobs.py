"""What a person comes for, each done in a browser with and without scripts."""

from __future__ import annotations

import json
import sys
import tarfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from unit.adapters.shell import Shell
from web.conftest import Visitor, console

_PROPOSE = """
import sys
from engrain import open_memory
with open_memory() as memory:
    for id_ in sys.argv[1:]:
        memory.review.propose("archive", id_, "old")
"""
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
    page.get_by_role("button", name="Put it in its place").click()
    expect(page.get_by_role("status")).to_contain_text("This is the successor now.")
    assert show(shell, "nightly-lock")["supersedes"] == id_


def test_proposals_are_accepted_one_by_one_and_all_of_a_kind(
    shell: Shell, visitor: Visitor
) -> None:
    ids = [save(shell, LOCK + f" Number {number}." * 40, f"Lock {number}") for number in "abc"]
    done = shell.sh(f"{sys.executable} -c '{_PROPOSE}' {' '.join(ids)}")
    assert done.code == 0, done.err
    page = visitor.open("")
    page.get_by_role("link", name="3 proposals").click()
    first = page.locator(".proposals > li").first
    expect(first.locator(".diff")).to_be_visible()
    first.get_by_label("because").fill("still in use")
    first.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("status")).to_contain_text("1 rejected")
    page.get_by_role("link", name="archive 2").click()
    page.get_by_role("button", name="Accept all of archive").click()
    expect(page.get_by_role("status")).to_contain_text("2 accepted")
    assert sorted(str(show(shell, one)["status"]) for one in ids) == [
        "active", "archived", "archived",
    ]  # fmt: skip


def test_a_vault_that_disappears_is_reported_and_comes_back(shell: Shell, visitor: Visitor) -> None:
    save(shell, LOCK, "Nightly lock")
    page = visitor.open("search")
    shell.vault.rename(shell.vault.with_name("away"))
    page = visitor.open("search?q=lock")
    expect(page.get_by_role("alert")).to_contain_text("vault")
    shell.vault.with_name("away").rename(shell.vault)
    page = visitor.open("search?q=lock")
    expect(page.get_by_role("link", name="Nightly lock")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_sessions_experience_and_the_graph_are_read(
    chromium: Browser, sample: Shell, scripts: bool
) -> None:
    with console(sample) as address:
        context = chromium.new_context(java_script_enabled=scripts)
        visitor = Visitor(context, address)
        page = visitor.page
        expect(page.get_by_role("rowheader", name="prompt")).to_be_visible()
        page.get_by_role("link", name="Sessions").click()
        page.get_by_role("link", name="release-4711").click()
        expect(page.get_by_text("given for the prompt")).to_be_visible()
        expect(page.get_by_text("given nothing")).to_be_visible()
        expect(page.get_by_text("nothing in memory matched")).to_be_visible()
        page.get_by_role("link", name="Experience").click()
        expect(page.get_by_role("heading", name="Patterns")).to_be_visible()
        page = visitor.open("graph")
        page.locator("main ul a").first.click()
        expect(page.locator(".graph")).to_be_visible()
        page.get_by_text("As a table").click()
        expect(page.locator("details table")).to_be_visible()
        assert page.locator("svg.graph").count() == (0 if scripts else 1)
        context.close()


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
    page.get_by_role("button", name="Find what it would destroy").click()
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


def test_a_job_is_run_a_setting_changed_and_the_vault_copied(
    shell: Shell, visitor: Visitor, tmp_path: Path
) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    page = visitor.open("care")
    page.get_by_role("button", name="Run map now").click()
    expect(page.locator(".notice")).to_contain_text("map: ok")
    page.get_by_text("each with its meaning and default").click()
    page.get_by_label("decay.sessions", exact=True).fill("many")
    page.get_by_role("button", name="Set decay.sessions").click()
    expect(page.get_by_role("alert")).to_contain_text("decay.sessions")
    page = visitor.open("care?settings=1")
    assert shell.run("config", "set", "agent", "ada").code == 0
    page.get_by_label("decay.sessions", exact=True).fill("9")
    page.get_by_role("button", name="Set decay.sessions").click()
    expect(page.get_by_role("alert")).to_contain_text("changed meanwhile")
    page = visitor.open("care?settings=1")
    page.get_by_label("decay.sessions", exact=True).fill("9")
    page.get_by_role("button", name="Set decay.sessions").click()
    expect(page.locator(".notice")).to_contain_text("decay.sessions = 9")
    assert (
        json.loads(shell.run("config", "get", "decay.sessions", "--json").out)["data"][
            "decay.sessions"
        ]["value"]
        == "9"
    )
    with page.expect_download() as started:
        page.get_by_role("button", name="Download a copy").click()
    away = tmp_path / "away"
    with tarfile.open(started.value.path()) as packed:
        packed.extractall(away, filter="data")
    (copy,) = away.iterdir()
    assert shell.run("verify", "--vault", str(copy)).code == 0
    assert shell.run("show", id_, "--vault", str(copy)).code == 0
