"""Who stands before the console's doors in a real browser: a second one with the same address, a
page of another port, a form without its token."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Response, expect

from unit.adapters.shell import Shell
from web.conftest import Console, run_python
from web.test_jobs import LOCK, LONG, PROPOSE, save, show

_PAGE = """<!doctype html><title>elsewhere</title>
<iframe src="{home}"></iframe><img src="{home}"><script src="{home}static/console.js"></script>
<form method="post" action="{home}inbox"><input type="hidden" name="action" value="accept-all">
<button>Win a prize</button></form>
<script>fetch("{home}search", {{ mode: "no-cors", credentials: "include" }}).catch(() => 0)</script>
"""


@contextmanager
def serving(html: str) -> Iterator[str]:
    """The address of a page of another program on this machine."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_an_address_lets_no_second_browser_in(chromium: Browser, opened: Console) -> None:
    context = chromium.new_context()
    page = context.new_page()
    for address, status in ((opened.address, 403), (opened.home, 401)):
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == status
    expect(page.get_by_text("Run `engrain console` again")).to_be_visible()
    context.close()


def test_another_name_of_this_machine_is_refused(opened: Console) -> None:
    with opened.visit() as visitor:
        answer = visitor.page.goto(opened.home.replace("127.0.0.1", "localhost"))
        assert answer is not None
        assert answer.status == 403


def test_a_page_of_another_port_is_shown_nothing_and_changes_nothing(
    shell: Shell, opened: Console
) -> None:
    """Its requests bear the cookie, since cookies are the same for all ports."""
    id_ = save(shell, LOCK + LONG, "Lock of the doors")
    run_python(shell, PROPOSE, "agent", id_)
    ours = urlsplit(opened.home).netloc
    with opened.visit() as visitor, serving(_PAGE.format(home=opened.home)) as elsewhere:
        visitor.page.goto("about:blank")
        answers: list[Response] = []
        visitor.page.on("response", lambda answer: answers.append(answer))
        visitor.page.goto(elsewhere, wait_until="networkidle")
        visitor.page.get_by_role("button", name="Win a prize").click()
        expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Not let in")
        told = [one for one in answers if urlsplit(one.url).netloc == ours]
    assert {"/console/", "/console/inbox"} <= {urlsplit(one.url).path for one in told}
    assert {one.status for one in told} == {403}
    assert show(shell, id_)["status"] == "active"


def test_a_form_without_its_token_changes_nothing(shell: Shell, opened: Console) -> None:
    id_ = save(shell, LOCK, "Nightly lock")
    with opened.visit() as visitor:
        page = visitor.open(f"entry?id={id_}")
        page.evaluate("for (const one of document.querySelectorAll('[name=csrf]')) one.remove()")
        with page.expect_response("**/entry/act") as answered:
            page.get_by_role("button", name="Forget").click()
        assert answered.value.status == 403
    assert show(shell, id_)["status"] == "active"
