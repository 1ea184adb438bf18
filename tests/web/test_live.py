"""What scripts add: keys, answers while one types, and what other processes change."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
import uvicorn
from playwright.sync_api import Browser, expect

from engrain.adapters.web.working import ConsoleWork
from support.vaults import make_memory
from unit.adapters.shell import Shell
from unit.adapters.web.visiting import make_doors
from web.conftest import PATIENCE, Console, Visitor, run_python
from web.test_jobs import LOCK, LONG, PROPOSE, save, show


@pytest.fixture
def visitor(opened: Console) -> Iterator[Visitor]:
    with opened.visit() as visitor:
        yield visitor


def test_search_answers_while_one_types(shell: Shell, visitor: Visitor) -> None:
    save(shell, "Penguins waddle before the quarterly audit.", "Waddling")
    for path in ("", "search"):
        page = visitor.open(path)
        page.keyboard.press("/")
        page.keyboard.type("penguins waddle quarterly audit")
        expect(page.locator(".results .title")).to_have_text("Waddling")


def test_a_save_of_another_process_appears_without_reload(shell: Shell, visitor: Visitor) -> None:
    page = visitor.open("timeline")
    save(shell, LOCK, "Saved elsewhere")
    expect(page.get_by_role("link", name="Saved elsewhere")).to_be_visible()


def test_an_open_page_says_that_the_vault_is_gone_and_that_it_is_back(
    shell: Shell, visitor: Visitor
) -> None:
    page = visitor.open("timeline")
    shell.vault.rename(shell.vault.with_name("away"))
    try:
        expect(page.get_by_role("alert")).to_contain_text("vault", timeout=PATIENCE)
    finally:
        shell.vault.with_name("away").rename(shell.vault)
    expect(page.get_by_role("heading", level=1)).to_have_text("Timeline", timeout=PATIENCE)


def test_the_inbox_works_by_keys_alone(shell: Shell, visitor: Visitor) -> None:
    first, second = (save(shell, LOCK + LONG, f"Lock {name}") for name in ("a", "b"))
    run_python(shell, PROPOSE, "agent", first, second)
    page = visitor.open("inbox")
    expect(page.locator("[data-row]")).to_have_count(2)
    about = page.locator("[data-row] h3").nth(0).inner_text()
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("1 accepted")
    page.wait_for_load_state()  # scripts answer keys once the new page has loaded
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("1 rejected")
    accepted = first if "Lock a" in about else second
    assert show(shell, accepted)["status"] == "archived"


def test_the_graph_can_be_dragged_and_leads_to_what_is_around_another_entry(
    shell: Shell, visitor: Visitor
) -> None:
    first = save(shell, LOCK, "Nightly lock")
    save(shell, "See [[nightly-lock]] before you change the schedule.", "Schedule")
    page = visitor.open(f"graph?id={first}")
    box = page.locator(".graph.live")
    expect(box.locator("canvas.sigma-nodes")).to_be_visible()
    page.wait_for_timeout(500)
    at = box.bounding_box()
    assert at is not None
    before = page.screenshot()
    # The entry in the middle of the rings is not in the middle of what forces arrange.
    steps = (
        (x, y) for x in range(10, int(at["width"]), 12) for y in range(10, int(at["height"]), 12)
    )
    for x, y in steps:
        page.mouse.move(at["x"] + x, at["y"] + y)
        if "pointing" in str(box.get_attribute("class")):
            page.mouse.down()
            page.mouse.move(at["x"] + x + 80, at["y"] + y, steps=4)
            page.mouse.up()
            break
    assert page.screenshot() != before
    places = page.evaluate("localStorage.getItem('engrain-places')")
    assert first in json.loads(places)[0]["center"]
    page = visitor.open(f"graph?id={first}")
    expect(box.locator("canvas.sigma-nodes")).to_be_visible()
    page.wait_for_timeout(500)
    page.mouse.move(0, 0)
    assert page.evaluate("localStorage.getItem('engrain-places')") == places
    page.get_by_role("button", name="Put entries back").click()
    assert page.evaluate("localStorage.getItem('engrain-places')") == "[]"
    assert not [said for said in visitor.said if "Content Security Policy" in said]


def test_the_graph_is_walked_by_keys(shell: Shell, visitor: Visitor) -> None:
    save(shell, LOCK, "Nightly lock")
    save(shell, "See [[nightly-lock]] before you change the schedule.", "Schedule")
    page = visitor.open("graph")
    page.locator(".graph.live").focus()
    page.keyboard.press("ArrowRight")
    said = page.locator("[aria-live=polite]").last
    expect(said).to_contain_text("(")
    first = said.inner_text()
    page.keyboard.press("ArrowRight")
    expect(said).not_to_have_text(first)
    page.keyboard.press("Enter")
    expect(page.locator("main > p").first).to_contain_text("Around")


def test_a_large_graph_waits_for_scripts_if_there_are_any(
    shell: Shell, opened: Console, scripts: bool
) -> None:
    folder = shell.vault / "Memory" / "active"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(40):
        links = " ".join(f"[[node-{other}]]" for other in range(40) if other != number)
        (folder / f"node-{number}.md").write_text(f"# Node {number}\n\n{links}\n")
    assert shell.run("jobs", "reindex").code == 0
    with opened.visit(scripts=scripts) as visitor:
        page = visitor.open("graph?id=node-0")
        expect(page.locator("canvas.sigma-nodes" if scripts else "svg.graph")).to_be_visible()
        visitor.page.route("**/sigma.min.js", lambda route: route.abort())
        page = visitor.open("graph?id=node-0")
        expect(page.locator("svg.graph circle.center")).to_be_visible()


def test_how_far_a_job_is_appears_without_reload(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripts: bool
) -> None:
    """Each of the job's first steps waits until the page has shown how far it is. Without scripts
    the page that began it shows that, once it has waited."""
    go = [Event(), Event()]
    step = ConsoleWork._step

    def wait(self: ConsoleWork) -> bool:
        step(self)
        if self._steps <= len(go):
            go[self._steps - 1].wait(60)
        return False

    monkeypatch.setattr(ConsoleWork, "_step", wait)
    listening = socket.create_server(("127.0.0.1", 0))
    with make_memory(tmp_path) as memory:
        for number in range(4):
            memory.save(f"Lesson {number} about locks.", title=f"Lock {number}", kind="fix")
        doors = make_doors(memory, port=listening.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(doors, lifespan="off", ws="none", log_config=None))
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        context = chromium.new_context(java_script_enabled=scripts)
        try:
            page = Visitor(context, doors.invite()).open("care")
            page.evaluate("window.kept = true")
            began = Visitor(context, page.url).page
            began.get_by_role("button", name="Run scan now").click(no_wait_after=True)
            place = (page if scripts else began).locator("#progress")
            for done, event in enumerate(go if scripts else go[:1], 1):
                expect(place).to_contain_text(f"job 1 of 1, {done} steps done", timeout=PATIENCE)
                event.set()
            if scripts:
                expect(place).to_be_empty()
                assert page.evaluate("window.kept")
        finally:
            for event in go:
                event.set()
            context.close()
            doors.leave()
            server.should_exit = True
            thread.join(20)
