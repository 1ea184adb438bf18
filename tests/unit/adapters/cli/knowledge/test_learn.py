"""learn: approved places, and what they bring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.site import Site, rss, serve
from unit.adapters.shell import CommandLine, Done
from unit.learn.forward.world import LOCKS


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        yield found


@pytest.fixture
def known(cli: CommandLine) -> CommandLine:
    """A vault that knows of locks."""
    text = "The nightly vacuum job takes an advisory lock in Postgres, so no two vacuum one table."
    assert cli("save", text, "--title", "Advisory lock of the nightly vacuum").code == 0
    return cli


def data_of(done: Done, code: int = 0) -> Any:
    assert done.code == code, done.err
    return done.answer["data"]


def test_a_place_is_approved_listed_and_removed(cli: CommandLine, tmp_path: Path) -> None:
    url = "https://blog.example.org/feed.xml"
    done = cli("learn", "add", url, "--name", "blog", "--private", "--json")
    place = {"name": "blog", "place": url, "private": True}
    assert data_of(done) == {"added": place}
    assert data_of(cli("learn", "list", "--json")) == {"sources": [], "approved": [place]}
    assert cli("learn").out.splitlines()[1].split() == ["blog", url, "yes"]
    assert cli("learn", "remove", "blog").code == 0
    assert data_of(cli("learn", "--json")) == {"sources": [], "approved": []}
    assert cli("learn", "remove", "blog").code == 3


def test_a_run_tells_what_it_brought_and_what_failed(known: CommandLine, site: Site) -> None:
    assert known("learn", "add", site.put("/feed", rss(LOCKS))).code == 0
    gone = f"{site.url}/gone"
    assert known("learn", "add", gone, "--name", "gone").code == 0
    (job,) = data_of(known("jobs", "run", "learn", "--json"))["jobs"]
    assert job["counts"] == {"sources": 2, "new": 1, "kept": 1, "failed": 1}
    made, left = job["lines"]
    assert made.startswith("created ") and made.endswith(": source 127-0-0-1")
    assert left == "left out gone: 127.0.0.1 refuses with status 404"
    assert made.split()[1].rstrip(":") in known("review", "list", "--json").out


@pytest.mark.parametrize(
    "argv",
    [("remove",), ("list", "--name", "x"),
     ("--source", "x"), ("add", "nowhere"), ("add", "/tmp", "--private"), ("add", "--private"),
     ("add", "ftp://x.example/"), ("add", "https://x.example/", "--match", "*.md")],
)  # fmt: skip
def test_what_does_not_go_together_is_reported(cli: CommandLine, argv: tuple[str, ...]) -> None:
    assert cli("learn", *argv).code == 2


def test_what_a_server_says_drives_no_terminal(known: CommandLine, site: Site) -> None:
    title = "Advisory lock of the nightly vacuum \x1b[31mred\x9b\u202e"
    known("learn", "add", site.put("/feed", rss({**LOCKS, "title": title})))
    assert known("jobs", "run", "learn").code == 0
    done = known("review", "list")
    assert "red" in done.out
    assert not {"\x1b", "\x9b", "\u202e"} & set(done.out)


def test_the_job_does_nothing_where_nothing_is_approved(known: CommandLine, site: Site) -> None:
    (job,) = data_of(known("jobs", "run", "learn", "--json"))["jobs"]
    assert job["counts"] == {"sources": 0}
    known("learn", "add", site.put("/feed", rss(LOCKS)))
    (job,) = data_of(known("jobs", "run", "learn", "--json"))["jobs"]
    assert job["counts"] == {"sources": 1, "new": 1, "kept": 1, "failed": 0}
