"""Approved places as they are kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, NotFoundError, UsageError
from engrain.resolution.config_file import sources_file
from engrain.resolution.fetching import ApprovedPlaces
from engrain.resolution.sources import SourceStore
from engrain.seam.sources import Approved, Source


class Device:
    """A device with a vault, a state folder, and a folder of notes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {"ENGRAIN_CONFIG": str(folder / "config/config.toml"), **os.environ}
        self.environ["ENGRAIN_CONFIG"] = str(folder / "config/config.toml")
        for name in ("vault", "state", "notes"):
            (folder / name).mkdir()

    def open(self, vault: str = "v1") -> ApprovedPlaces:
        return ApprovedPlaces(self.environ, vault)

    @property
    def file(self) -> Path:
        return Path(sources_file(self.environ))


@pytest.fixture
def device(tmp_path: Path) -> Device:
    return Device(Path(os.path.realpath(tmp_path)))


def facts(approved: Approved) -> tuple[object, ...]:
    return tuple(getattr(approved, name) for name in Approved.__slots__)


def test_a_place_is_kept_as_it_was_added(device: Device) -> None:
    added = device.open().add(Approved("blog", "https://Example.org/feed", private=True))
    assert added.place == "https://example.org/feed"
    (kept,) = device.open().list()
    assert facts(kept) == facts(added)
    assert device.open("v2").list() == []


def test_what_does_not_go_together_is_refused(device: Device) -> None:
    notes = str(device.folder / "notes")
    for approved in (Approved("", "ftp://a.example/"), Approved("", notes)):
        with pytest.raises(UsageError):
            device.open().add(approved)
    assert device.open().list() == []


def test_a_place_or_a_name_is_approved_once(device: Device) -> None:
    outside = device.open()
    outside.add(Approved("blog", "https://a.example/feed"))
    with pytest.raises(UsageError, match="approved already: blog"):
        outside.add(Approved("other", "https://A.example/feed"))
    with pytest.raises(UsageError, match="there is a source 'blog' already"):
        outside.add(Approved("blog", "https://b.example/feed"))


def test_a_place_is_removed_and_sources_of_facts_stay(device: Device) -> None:
    outside = device.open()
    closed = (str(device.folder / "vault"), str(device.folder / "state"))
    sources = SourceStore(device.environ, "v1", closed=closed, personal=None)
    sources.add(Source("notes", str(device.folder / "notes")))
    outside.add(Approved("blog", "https://a.example/feed"))
    device.file.write_text("# mine\n" + device.file.read_text())
    assert outside.remove("blog").place == "https://a.example/feed"
    assert outside.list() == []
    assert [one.name for one in sources.list()] == ["notes"]
    assert "# mine" in device.file.read_text()
    with pytest.raises(NotFoundError):
        outside.remove("blog")


@pytest.mark.parametrize(
    "table",
    ['private = true', 'name = "a"'],
)  # fmt: skip
def test_a_table_that_is_none_is_reported(device: Device, table: str) -> None:
    device.file.parent.mkdir()
    device.file.write_text(f'[[learn]]\nvault = "v1"\n{table}\n')
    with pytest.raises(ConfigError):
        device.open().list()


def test_a_url_that_somebody_wrote_into_the_file_is_looked_at_again(device: Device) -> None:
    with pytest.raises(UsageError, match="no URL of http or https"):
        device.open().fetch(Approved("a", "file:///etc/passwd"))
