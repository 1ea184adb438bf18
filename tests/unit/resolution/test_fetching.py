"""What the network is asked for, by a real server on loopback, and what it is not."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_address

import pytest

from engrain.model.errors import FetchError, UsageError
from engrain.resolution.fetching import _is_public, check_addresses, fetch, read_url
from engrain.seam.sources import Approved
from support.site import Site, rss, serve

FEED_TEXT = rss({"title": "One", "link": "/1"})


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        yield found


def approve(url: str) -> Approved:
    return Approved("blog", url)


def message(approved: Approved) -> str:
    with pytest.raises(FetchError) as raised:
        fetch(approved, timeout=3.0)
    return raised.value.message


def test_an_approved_url_gives_its_bytes_and_what_to_ask_with_next(site: Site) -> None:
    url = site.put("/feed", FEED_TEXT, headers={"ETag": '"v1"', "Last-Modified": "yesterday"})
    found = fetch(approve(url))
    assert found is not None
    assert (found.url, found.body) == (url, FEED_TEXT.encode())
    assert (found.etag, found.modified) == ('"v1"', "yesterday")
    assert fetch(approve(url), '"v1"', "yesterday") is None
    asked = site.asked[-1][1]
    assert (asked["If-None-Match"], asked["If-Modified-Since"]) == ('"v1"', "yesterday")


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest/meta-data", "http://localhost/", "http://[::1]/",
     "http://127.0.0.2/", "file:///etc/passwd", "ftp://127.0.0.1/", "http://u:p@127.0.0.1/",
     "http://[bad", "gopher://x"],
)  # fmt: skip
def test_a_redirection_is_not_followed(site: Site, target: str) -> None:
    url = site.put("/feed", "", status=302, headers={"Location": target})
    assert message(approve(url)).startswith("127.0.0.1 redirects to ")
    assert len(site.asked) == 1


def test_a_name_that_is_approved_and_leads_to_a_private_address_is_refused(site: Site) -> None:
    port = site.url.rpartition(":")[2]
    # A name that resolves to this device without being called localhost, as in the test below.
    site.put("/feed", FEED_TEXT)
    assert "which is no public address" in message(approve(f"http://2130706433:{port}/feed"))
    assert site.asked == []


def test_a_name_that_stands_for_a_private_address_is_refused() -> None:
    # A name that resolves to this device without being called localhost: numbers do, by inet_aton.
    target = read_url("http://2130706433:1/feed")
    with pytest.raises(FetchError, match=r"is at 127\.0\.0\.1, which is no public address"):
        check_addresses(approve("http://2130706433:1/feed"), target)
    private = Approved("blog", "http://2130706433:1/feed", private=True)
    assert check_addresses(private, target) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("address", "public"),
    [("93.184.215.14", True), ("2606:4700::1111", True), ("10.0.0.1", False), ("0.0.0.0", False),
     ("169.254.169.254", False), ("100.64.0.1", False), ("224.0.0.1", False), ("::1", False),
     ("fe80::1", False), ("fd00::1", False), ("::ffff:127.0.0.1", False),
     ("::ffff:93.184.215.14", True), ("64:ff9b::7f00:1", False), ("64:ff9b::5db8:d70e", True),
     ("2002:7f00:1::", False), ("255.255.255.255", False), ("::", False), ("ff02::1", False)],
)  # fmt: skip
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert _is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    "url",
    ["/etc/passwd", "file:///etc/passwd", "http://", "https://a:b@example.org/", "http://exa mple/",
     "javascript:alert(1)", "http://[::1", "http://example.org:99999/", "http://" + "a" * 3000],
)  # fmt: skip
def test_what_is_no_url_to_be_asked_for_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        read_url(url)


def test_a_url_is_asked_for_as_it_can_be_sent() -> None:
    target = read_url("HTTP://Bücher.example/a b?q=ü#part")
    assert (target.host, target.port) == ("xn--bcher-kva.example", 80)
    assert target.url == "http://xn--bcher-kva.example/a%20b?q=%C3%BC"


def test_what_is_too_long_is_left(site: Site) -> None:
    whole = b"<rss>" + b" " * 3_000_000
    url = site.put("/plain", whole)
    with pytest.raises(FetchError, match="gives more than 1 MiB"):
        fetch(approve(url), most_bytes=1 << 20)
    found = fetch(approve(url))
    assert found is not None and found.body == whole


def test_what_is_packed_is_left_since_nobody_asked_for_it(site: Site) -> None:
    other = site.put("/br", b"...", headers={"Content-Encoding": "br"})
    assert "packs its answer as br" in message(approve(other))
    assert site.asked[-1][1]["Accept-Encoding"] == "identity"


def test_what_is_neither_a_feed_nor_a_page_is_left(site: Site) -> None:
    url = site.put("/image", b"\x89PNG", "image/png")
    assert "gives image/png" in message(approve(url))


def test_an_answer_that_breaks_off_is_none(site: Site) -> None:
    url = site.put("/cut", "<rss>", headers={"Content-Length": "100", "Connection": "close"})
    assert message(approve(url)) == "127.0.0.1 breaks off its answer"


def test_a_refusal_is_reported_by_its_status(site: Site) -> None:
    assert message(approve(site.put("/gone", "", status=410))) == (
        "127.0.0.1 refuses with status 410"
    )


@pytest.mark.parametrize("dripping", ["headers", "body"])
def test_a_server_that_drips_is_left_in_time(site: Site, dripping: str) -> None:
    stop = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        if dripping == "body":
            request.send_response(200)
            request.send_header("Content-Type", "text/xml")
            request.send_header("Content-Length", "100000")
            request.end_headers()
        while not stop.wait(0.1):
            request.wfile.write(b"X")

    site.pages["/drip"] = drip
    begun = time.monotonic()
    with pytest.raises(FetchError, match="does not answer in time"):
        fetch(approve(f"{site.url}/drip"), timeout=0.6)
    assert time.monotonic() - begun < 5
    stop.set()


def test_what_is_not_http_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            wire, _ = server.accept()
            with wire:
                wire.recv(100)
                wire.sendall(b"SSH-2.0-OpenSSH\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert "gives no answer of HTTP" in message(approve(url))
        thread.join()


def test_a_server_that_has_no_https_is_reported(site: Site) -> None:
    url = site.url.replace("http://", "https://")
    assert message(approve(url)).startswith("127.0.0.1 can't be asked by https: ")
    assert site.asked == []


def test_a_server_that_is_not_there_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert "can't be reached" in message(approve(f"http://127.0.0.1:{port}/"))
