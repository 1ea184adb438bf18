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

from engrain.adapters.web.serving import make_console
from engrain.adapters.web.working import Work
from support.vaults import make_memory
from unit.adapters.shell import Shell
from web.conftest import Visitor, console
from web.test_jobs import LOCK, save, show


@pytest.fixture
def visitor(chromium: Browser, shell: Shell) -> Iterator[Visitor]:
    with console(shell) as address:
        context = chromium.new_context()
        yield Visitor(context, address)
        context.close()


def test_search_answers_while_one_types(shell: Shell, visitor: Visitor) -> None:
    save(shell, LOCK, "Nightly lock")
    for path in ("", "search"):
        page = visitor.open(path)
        page.keyboard.press("/")
        page.keyboard.type("advisory lock for the nightly job")
        expect(page.locator(".results .title")).to_have_text("Nightly lock")


def test_a_save_of_another_process_appears_without_reload(shell: Shell, visitor: Visitor) -> None:
    page = visitor.open("timeline")
    expect(page.get_by_text("No changes yet.")).to_be_visible()
    save(shell, LOCK, "Nightly lock")
    expect(page.get_by_role("link", name="save", exact=True)).to_be_visible()


def test_review_works_by_keys_alone(shell: Shell, visitor: Visitor) -> None:
    text = LOCK + " Nothing much happened on that day at all." * 30
    first, second = (save(shell, text + name, f"Lock {name}") for name in ("a", "b"))
    python = "import sys; from engrain import open_memory\nwith open_memory() as memory:\n"
    python += "    for id_ in sys.argv[1:]: memory.review.propose('archive', id_, 'old')"
    done = shell.sh(f'{shell_python()} -c "{python}" {first} {second}')
    assert done.code == 0, done.err
    page = visitor.open("review")
    expect(page.locator("[data-row]")).to_have_count(2)
    about = page.locator("[data-row] h2").nth(0).inner_text()
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("1 accepted")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.get_by_role("status")).to_contain_text("1 rejected")
    accepted = first if "Lock a" in about else second
    assert show(shell, accepted)["status"] == "archived"


def shell_python() -> str:
    import sys

    return sys.executable


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
    center = (at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    before = page.screenshot()
    ends = [(center[0], at["y"] + part * at["height"]) for part in (0.05, 0.5, 0.95)]
    for end in ends:
        page.mouse.move(*end)
        page.mouse.down()
        page.mouse.move(end[0] + 80, end[1], steps=4)
        page.mouse.up()
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


def test_how_far_a_job_is_appears_without_reload(
    chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the job's first steps waits until the page has shown how far it is."""
    go = [Event(), Event()]
    step = Work._step

    def wait(self: Work) -> bool:
        step(self)
        if self._steps <= len(go):
            go[self._steps - 1].wait(60)
        return False

    monkeypatch.setattr(Work, "_step", wait)
    listening = socket.create_server(("127.0.0.1", 0))
    with make_memory(tmp_path) as memory:
        for number in range(4):
            memory.save(f"Lesson {number} about locks.", title=f"Lock {number}", kind="fix")
        doors = make_console(memory, listening.getsockname()[1])
        server = uvicorn.Server(uvicorn.Config(doors, lifespan="off", ws="none", log_config=None))
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        context = chromium.new_context()
        try:
            page = Visitor(context, doors.invite()).open("care")
            page.evaluate("window.kept = true")
            began = Visitor(context, page.url).page
            began.get_by_role("button", name="Run scan now").click(no_wait_after=True)
            place = page.locator("#progress")
            for done, event in enumerate(go, 1):
                expect(place).to_contain_text(f"job 1 of 1, {done} steps done")
                event.set()
            expect(place).to_be_empty()
            assert page.evaluate("window.kept")
        finally:
            for event in go:
                event.set()
            context.close()
            doors.leave()
            server.should_exit = True
            thread.join(20)
