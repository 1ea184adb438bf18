"""Links of a note to files that are no notes: images, papers, drawings (S1.11)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote

from engrain.language.text.folding import fold
from engrain.model.links.link import Link
from engrain.model.links.places import leads_to_file, resolve_path

_PLACE = re.compile(r"\]\(\s*(?:<([^<>\n]+)>|([^\s()<>]+(?:\([^\s()]*\)[^\s()<>]*)*))")


def attached_in(body: str, links: Iterable[Link]) -> Iterator[str]:
    """What the `links` and embeds in a text say of files that are no notes, with their paths. An
    address is none."""
    named = [link.target for link in links if not link.markdown]
    named += [unquote(found[1] or found[2]) for found in _PLACE.finditer(body)]
    for name in dict.fromkeys(named):
        path = name.partition("#")[0].partition("?")[0].strip()
        if "://" not in path and leads_to_file(path):
            yield path


def index_files(places: Iterable[str]) -> dict[str, str]:
    """Places by their folded paths, and by their names alone, of several the shortest path."""
    found: dict[str, str] = {}
    for place in sorted(places, key=lambda one: (one.count("/"), one)):
        found.setdefault(fold(place), place)
        found.setdefault(fold(place.rpartition("/")[2]), place)
    return found


def find_attached(path: str, folder: str, files: Mapping[str, str]) -> str | None:
    """The place of a file that a note in `folder` calls `path`: from where the note lies, from the
    root, or by the name alone; `files` is of `index_files`."""
    wanted = (resolve_path(path, folder), resolve_path(path, ""), path.rpartition("/")[2])
    return next((files[fold(one)] for one in wanted if fold(one) in files), None)
