"""A vault that is about harbours and their software, and what is written about them outside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engrain import Memory
from engrain.seam.clock import Clock
from support.vaults import make_memory
from unit.lifecycle.sessions.living import isolate

NOTES = {
    "Advisory lock of the nightly vacuum": (
        "The nightly vacuum job takes an advisory lock in Postgres, so that two harbour masters"
        " never vacuum the berths table at once."
    ),
    "Berth planning by tide tables": (
        "Beacon plans berths by the tide tables of the hydrographic office, and adds the draught"
        " of each vessel."
    ),
    "Rebase before a push": "Rebase before you push: the pipeline refuses merge commits.",
    "Pilots are ordered by radio": "Pilots are ordered by radio on channel twelve, an hour before.",
}
LOCKS = {
    "title": "Postgres: vacuum without an advisory lock",
    "link": "/locks",
    "guid": "locks",
    "description": (
        "The nightly vacuum job needs no advisory lock in Postgres any longer; two of them never"
        " vacuum one table at once."
    ),
}
TIDES = {
    "title": "New tide tables of the hydrographic office",
    "link": "/tides",
    "guid": "tides",
    "description": (
        "The hydrographic office has new tide tables, by which berths and the draught of a vessel"
        " are planned."
    ),
}
PASTA = {
    "title": "Ten recipes for pasta",
    "link": "/pasta",
    "guid": "pasta",
    "description": "Boil plenty of salted water, and stir basil into the tomatoes at the very end.",
}


@contextmanager
def harbour(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, clock: Clock | None = None
) -> Iterator[Memory]:
    """A memory with those notes."""
    isolate(folder, monkeypatch)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(folder / "config/config.toml"))
    for name in (
        "http_proxy",
        "HTTP_PROXY",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
    ):
        monkeypatch.delenv(name, raising=False)
    with make_memory(folder, clock=clock) as memory:
        for title, text in NOTES.items():
            memory.save(text, title=title, kind="domain-reference", tags=["harbour"])
        yield memory
