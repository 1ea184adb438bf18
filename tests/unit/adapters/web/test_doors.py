"""Who is let in to the console, and who is not."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from engrain import Memory
from engrain.adapters.web.app import ROUTES
from engrain.adapters.web.asking import PREFIX
from engrain.adapters.web.doors import MAX_BODY
from unit.adapters.web.visiting import HOME, Browser, make_doors


@pytest.fixture
def stranger(memory: Memory) -> TestClient:
    return TestClient(make_doors(memory), base_url=HOME)


@pytest.mark.parametrize("path", sorted({path for _, path, _ in ROUTES} | {"/static/console.css"}))
def test_without_the_token_no_page_is_shown(stranger: TestClient, path: str) -> None:
    assert stranger.get(PREFIX + path).status_code == 401
    assert stranger.post(PREFIX + path).status_code == 401


def test_outside_of_the_pages_nothing_is_shown_either(stranger: TestClient) -> None:
    for path in ("/", "/mcp", "/favicon.ico"):
        assert stranger.get(path).status_code == 401


def test_the_token_is_exchanged_for_a_cookie_and_gone_from_the_address(memory: Memory) -> None:
    doors = make_doors(memory)
    client = TestClient(doors, base_url=HOME)
    answer = client.get(doors.invite(), follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PREFIX}/")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert client.get(f"{PREFIX}/").status_code == 200


def test_a_token_lets_one_browser_in_and_no_second(memory: Memory) -> None:
    doors = make_doors(memory)
    address = doors.invite()
    first, second = (TestClient(doors, base_url=HOME) for _ in range(2))
    assert first.get(address).status_code == 200
    assert second.get(address).status_code == 403
    assert second.get(f"{PREFIX}/").status_code == 401
    assert first.get(f"{PREFIX}/").status_code == 200


def test_a_guessed_token_and_a_head_request_use_nothing_up(memory: Memory) -> None:
    doors = make_doors(memory)
    client = TestClient(doors, base_url=HOME)
    address = doors.invite()
    assert client.get(f"{PREFIX}/?token=guess").status_code == 403
    assert client.head(address).status_code == 401
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["localhost:8420", "127.0.0.1", "127.0.0.1:8421", "evil.example:8420", "127.0.0.1:8420.evil"],
)
def test_another_host_or_port_is_refused(browser: Browser, host: str) -> None:
    assert browser.client.get(f"{PREFIX}/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:9", "http://localhost:8420", "null"]
)
def test_another_origin_is_refused(browser: Browser, origin: str) -> None:
    for method in ("GET", "POST"):
        answer = browser.client.request(method, f"{PREFIX}/", headers={"Origin": origin})
        assert answer.status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "anything"])
def test_what_another_page_sends_is_refused(browser: Browser, site: str) -> None:
    headers = {"Sec-Fetch-Site": site}
    assert browser.client.get(f"{PREFIX}/", headers=headers).status_code == 403
    data = {"csrf": browser.csrf, "action": "accept-all"}
    assert browser.client.post(f"{PREFIX}/inbox", data=data, headers=headers).status_code == 403


def test_what_the_person_opens_and_our_own_forms_send_is_taken(browser: Browser) -> None:
    opened = browser.client.get(f"{PREFIX}/", headers={"Sec-Fetch-Site": "none"})
    # A browser that sends no referrer says of a form's origin only that it has one.
    sent = browser.client.post(
        f"{PREFIX}/inbox",
        data={"csrf": browser.csrf, "action": "accept-all"},
        headers={"Sec-Fetch-Site": "same-origin", "Origin": "null"},
    )
    assert (opened.status_code, sent.status_code) == (200, 200)
    refused = browser.client.post(f"{PREFIX}/inbox", headers={"Sec-Fetch-Site": "none"})
    assert refused.status_code == 403


@pytest.mark.parametrize("path", [path for method, path, _ in ROUTES if method == "POST"])
def test_nothing_is_changed_without_the_token_of_the_form(browser: Browser, path: str) -> None:
    for fields in ({}, {"csrf": ""}, {"csrf": "0" * 64}):
        assert browser.send(path, fields).status == 403


def test_the_token_of_another_visit_is_refused(memory: Memory, browser: Browser) -> None:
    other = Browser(memory)
    assert browser.send("/inbox", {"csrf": other.csrf, "action": "accept-all"}).status == 403


def test_every_answer_bears_the_headers(browser: Browser, stranger: TestClient) -> None:
    answers = [browser.client.get(f"{PREFIX}{path}") for path in ("/", "/nothing", "/search?q=x")]
    answers += [browser.client.get(f"{PREFIX}/static/htmx.min.js"), stranger.get(f"{PREFIX}/")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_a_form_over_the_limit_is_refused(browser: Browser) -> None:
    assert browser.send("/inbox", {"csrf": "x" * (MAX_BODY + 1)}).status == 413


def test_other_methods_are_refused(browser: Browser) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE"):
        assert browser.client.request(method, f"{PREFIX}/").status_code == 403
