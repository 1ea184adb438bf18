"""Which of the entries that go by one name a link means (S1.11): a path narrows, or else is a name
with a `/` in it, then the kind of name decides, then where they lie."""

from __future__ import annotations

from engrain.language.text.folding import fold, name_key
from engrain.model.links.link import note_name
from engrain.model.links.places import resolve_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

Candidate: TypeAlias = "tuple[int, int, int, str]"
"""An entry, its standing, the rank of the name it goes by, and its place."""

FILE, SLUG, ALIAS, TITLE = range(4)
"""The names of an entry, the likeliest to be meant by a link first."""


def find_end(
    sides: Sequence[tuple[str, str]], folder: str, found: Mapping[str, list[Candidate]]
) -> tuple[int | None, int]:
    """The entry that a link in `folder` means, and how many others it might as well. It is the
    first of its (key, as written) sides that names it; the other does only where it is the name of
    a file of Dendron's, since elsewhere it is what people read."""
    key, written = sides[0]
    candidates = _narrow(key, written, folder, found)
    if not candidates and len(sides) > 1:
        key, written = sides[1]
        named = _narrow(key, written, folder, found) if "." in note_name(written) else []
        candidates = [one for one in named if one[2] == FILE]
    if not candidates:
        return None, 0
    if len(candidates) > 1:
        first = min(one[1:3] for one in candidates)
        candidates = [one for one in candidates if one[1:3] == first]
        root = fold(note_name(written))
        candidates = [one for one in candidates if _stem(one) == root] or candidates
    end = min(candidates, key=lambda one: _nearness(one, folder))
    return end[0], len(candidates) - 1


def rank_meant(key: str, written: str, found: Mapping[str, list[Candidate]]) -> list[int]:
    """Every entry that a link may mean, the likeliest first."""
    meant = _narrow(key, written, "", found)
    return [entry for entry, *_ in sorted(meant, key=lambda one: (*one[1:3], *_nearness(one, "")))]


def keys_of(key: str, written: str) -> Sequence[str]:
    """The keys of the names that one side of a link may use: that of the file which a path leads
    to, and that of a name with a `/` in it."""
    return (key, name_key(note_name(written))) if key and "/" in written else (key,) * bool(key)


def _nearness(candidate: Candidate, folder: str) -> tuple[bool, int, str]:
    """Obsidian's order of notes of one name: those below the link's own folder, then the shorter
    path."""
    place = candidate[3]
    inside = not folder or place.startswith(f"{folder}/")
    return not inside, len(place), place


def _narrow(
    key: str, written: str, folder: str, found: Mapping[str, list[Candidate]]
) -> list[Candidate]:
    """Those that lie where the link's path says; else those whose name it is, `/` and all; else all
    of them: a note may have moved since."""
    path = fold(note_name(written))
    candidates = found.get(key, [])
    if "/" not in path:
        return candidates
    if path.startswith(("./", "../")):
        path = resolve_path(path, fold(folder))
    path = path.strip("/")
    exact = [one for one in candidates if _stem(one) == path]
    below = [one for one in candidates if _stem(one).endswith(f"/{path}")]
    return exact or below or found.get(name_key(note_name(written)), []) or candidates


def _stem(candidate: Candidate) -> str:
    return fold(candidate[3]).removesuffix(".md")
