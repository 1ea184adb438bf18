"""Approved places as they are kept."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.learn.forward.feeds import is_feed
from engrain.model.errors import (
    ConfigError,
    FetchError,
    ForbiddenPathError,
    NotFoundError,
    UsageError,
)
from engrain.resolution.config_file import sources_file
from engrain.resolution.learn_sources import ApprovedPlaces
from engrain.resolution.sources import open_sources
from engrain.seam.sources import FEED, FOLDER, PAGE, Approved, Outside, Source
from support.site import Site, rss, serve


class Device:
    """A device with a vault, a state folder, and a folder of notes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"ENGRAIN_CONFIG": str(folder / "config/config.toml"), **os.environ}
        self.environ["ENGRAIN_CONFIG"] = str(folder / "config/config.toml")
        for name in ("vault", "state", "notes"):
            (folder / name).mkdir()

    def open(self, vault: str = "v1") -> Outside:
        closed = (str(self.folder / "vault"), str(self.folder / "state"))
        shelf = open_sources(self.environ, vault, closed=closed, personal=None)
        return ApprovedPlaces(self.environ, vault, shelf, is_feed)

    @property
    def file(self) -> Path:
        return Path(sources_file(self.environ))


@pytest.fixture
def device(tmp_path: Path) -> Device:
    return Device(Path(os.path.realpath(tmp_path)))


@pytest.fixture
def site() -> Iterator[Site]:
    with serve() as found:
        yield found


def facts(approved: Approved) -> tuple[object, ...]:
    return tuple(getattr(approved, name) for name in Approved.__slots__)


def test_a_place_is_kept_as_it_was_added(device: Device) -> None:
    added = device.open().add(
        Approved("blog", FEED, "https://Example.org/feed", hosts=["CDN.example.org"], private=True)
    )
    assert (added.place, added.hosts) == ("https://example.org/feed", ("cdn.example.org",))
    (kept,) = device.open().list()
    assert facts(kept) == facts(added)
    assert device.open("v2").list() == []


def test_the_kind_is_what_the_place_tells(device: Device, site: Site) -> None:
    outside = device.open()
    feed = site.put("/feed", rss({"title": "One"}), "text/html")
    page = site.put("/page", "<html><title>P</title><p>Text.</p>", "text/html; charset=utf-8")
    (device.folder / "code/.git").mkdir(parents=True)
    places = {feed: FEED, page: PAGE, str(device.folder / "notes"): FOLDER,
              str(device.folder / "code"): FOLDER}  # fmt: skip
    for place, kind in places.items():
        assert outside.add(Approved("", "", place)).kind == kind
    assert [one.name for one in outside.list()] == ["127-0-0-1", "127-0-0-1-2", "notes", "code"]


def test_a_place_whose_kind_can_not_be_told_is_not_kept(device: Device, site: Site) -> None:
    with pytest.raises(FetchError) as raised:
        device.open().add(Approved("", "", f"{site.url}/nowhere"))
    assert raised.value.remedy == "--kind feed or url approves it all the same"
    assert not device.file.exists()


@pytest.mark.parametrize("kind", [FEED, PAGE])
def test_a_named_kind_needs_no_network(device: Device, kind: str) -> None:
    assert device.open().add(Approved("a", kind, "https://example.invalid/x")).kind == kind


def test_what_is_closed_to_sources_is_closed_here(device: Device) -> None:
    hidden = device.folder / ".secret"
    hidden.mkdir()
    for path in (device.folder / "vault", device.folder / "state", hidden):
        with pytest.raises(ForbiddenPathError):
            device.open().add(Approved("", "", str(path)))
    with pytest.raises(UsageError):
        device.open().add(Approved("", "", str(device.folder / "nowhere")))


def test_what_does_not_go_together_is_refused(device: Device) -> None:
    notes = str(device.folder / "notes")
    for approved in (
        Approved("", "magazine", notes),
        Approved("", FOLDER, notes, hosts=["a.example"]),
        Approved("", FOLDER, notes, private=True),
        Approved("", FEED, "https://a.example/", match=["*.md"]),
        Approved("", FEED, "ftp://a.example/"),
        Approved("", FEED, notes),
        Approved("", FEED, "https://a.example/", hosts=["b.example/path x"]),
    ):
        with pytest.raises(UsageError):
            device.open().add(approved)
    assert device.open().list() == []


def test_a_place_or_a_name_is_approved_once(device: Device) -> None:
    outside = device.open()
    outside.add(Approved("blog", FEED, "https://a.example/feed"))
    with pytest.raises(UsageError, match="approved already: blog"):
        outside.add(Approved("other", FEED, "https://A.example/feed"))
    with pytest.raises(UsageError, match="there is a source 'blog' already"):
        outside.add(Approved("blog", FEED, "https://b.example/feed"))


def test_a_place_is_removed_and_sources_of_facts_stay(device: Device) -> None:
    outside = device.open()
    closed = (str(device.folder / "vault"), str(device.folder / "state"))
    sources = open_sources(device.environ, "v1", closed=closed, personal=None)
    sources.add(Source("notes", str(device.folder / "notes")))
    outside.add(Approved("blog", FEED, "https://a.example/feed"))
    device.file.write_text("# mine\n" + device.file.read_text())
    assert outside.remove("blog").place == "https://a.example/feed"
    assert outside.list() == []
    assert [one.name for one in sources.list()] == ["notes"]
    assert "# mine" in device.file.read_text()
    with pytest.raises(NotFoundError):
        outside.remove("blog")


@pytest.mark.parametrize(
    "table",
    ['kind = "feed"', 'name = "a"\nkind = "feed"', 'name = "a"\nplace = "x"\nkind = "tape"',
     'name = "a"\nplace = "x"\nkind = "feed"\nhosts = "b"'],
)  # fmt: skip
def test_a_table_that_is_none_is_told(device: Device, table: str) -> None:
    device.file.parent.mkdir()
    device.file.write_text(f'[[learn]]\nvault = "v1"\n{table}\n')
    with pytest.raises(ConfigError):
        device.open().list()


def test_a_url_that_somebody_wrote_into_the_file_is_looked_at_again(device: Device) -> None:
    with pytest.raises(FetchError, match="no URL of http or https"):
        device.open().fetch(Approved("a", FEED, "file:///etc/passwd"))


def test_files_of_a_folder_are_those_that_are_text(device: Device) -> None:
    for name in ("a.md", "b.html", "c.png", ".d.md"):
        (device.folder / "notes" / name).write_text("Text.")
    approved = Approved("notes", FOLDER, str(device.folder / "notes"))
    outside = device.open()
    found = [one[0] for one in outside.files(approved) if isinstance(one, tuple)]
    assert found == ["a.md", "b.html"]
    assert outside.read(approved, "a.md") == b"Text."
