"""Chains of notes in a seeded corpus that follow one another: stale ones and well kept ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from bench.dream_sheets import BEGIN, Sheet, World
from bench.dream_words import Page, read_sections

_DAY = 86_400
_SAME = ("",) * 4
_REWORDED = ("", ", revised", " as it is now", ", current")
_NUMBERED = (
    ("", " v2", " v3", " v4"),
    ("", " (v2)", " (v3)", " (v4)"),
    (" v1", " v2", " v3", " v4"),
    ("", " (new)", " (new, final)", " (newest)"),
    ("", " (updated)", " (updated again)", " (latest)"),
)
_FORMS = ("active", "pointed", "replaces", "versions", "active", "replaces", "mixed", "pointed")
"""Of stale chains: `supersedes` where the older are active still; where they are superseded and
others point to them; told in the text; told in title and text; and where the middle one is active.
"""


class Chain(NamedTuple):
    """Members, oldest first, sheets that point to older ones, and what form it has."""

    members: list[Sheet]
    pointers: list[Sheet]
    form: str


def stale(world: World, number: int) -> Chain:
    """A chain of at least two supersessions that nobody cleared up."""
    form = _FORMS[number % len(_FORMS)]
    chance = world.chance
    suffixes = chance.choice(_NUMBERED)
    if form != "versions":  # a link to a title that two notes have would mean the newest
        suffixes = chance.choice((suffixes, _REWORDED)) if form != "active" else _SAME
    members = _versions(world, chance.choice((3, 3, 3, 4)), suffixes)
    pointers: list[Sheet] = []
    for older, newer in pairwise(members):
        if form in ("replaces", "versions"):
            _tell(world, newer, older, "replaces")
        else:
            newer.supersedes = older.id
        if form in ("pointed", "mixed"):
            older.status = "superseded"
    if form == "mixed":
        members[-2].status = "active"
    if form == "pointed":
        for older in chance.sample(members[:-1], chance.choice((1, 2))):
            pointers.append(world.compose(world.known_subject()))
            pointers[-1].plain = False
            _tell(world, pointers[-1], older, "pointers")
    return Chain(members, pointers, form)


def well_kept(world: World) -> Chain:
    """A chain whose older members are archived and which nobody else points to."""
    suffixes = world.chance.choice((_SAME, _REWORDED, *_NUMBERED))
    members = _versions(world, world.chance.choice((2, 3)), suffixes)
    for older, newer in pairwise(members):
        newer.supersedes = older.id
        older.status = "superseded"
        if suffixes is not _SAME and world.chance.random() < 0.6:
            _tell(world, newer, older, "history")
    return Chain(members, [], "well kept")


def side_by_side(world: World) -> Chain:
    """Sheets with version numbers that all hold."""
    title, text = world.chance.choice(read_sections("chains")["not_versions"]).split(" | ")
    page = world.page(world.new_subject())
    members = []
    for version in ("1", "2", "3")[: world.chance.choice((2, 2, 3))]:
        page.slots["v"] = version
        members.append(_sheet(world, page, page.fill(title), text, BEGIN))
    return Chain(members, [], "side by side")


def not_replaced(world: World) -> Chain:
    """A sheet that tells that a thing, and not a note, was replaced."""
    subject = world.new_subject()
    page = world.page(subject)
    text = world.chance.choice(read_sections("chains")["not_replaced"])
    sheet = _sheet(world, page, world.title(page, "context"), text, BEGIN)
    return Chain([sheet], [], "not replaced")


def _versions(world: World, count: int, suffixes: Sequence[str]) -> list[Sheet]:
    chance = world.chance
    title, text = chance.choice(read_sections("chains")["subjects"]).split(" | ")
    page = world.page(world.new_subject())
    title = page.fill(title)
    values = [chance.sample(range(2, 60), count) for _ in range(3)]
    members: list[Sheet] = []
    for at in range(count):
        page.slots |= {f"v{slot + 1}": str(values[slot][at]) for slot in range(3)}
        after = members[-1].created + _DAY if members else BEGIN
        members.append(_sheet(world, page, title + suffixes[at], text, after))
    return members


def _sheet(world: World, page: Page, title: str, text: str, after: float) -> Sheet:
    kind = world.chance.choice(("workflow", "procedural", "decision", "domain-reference"))
    lines = [part if part.endswith(".") else f"{part}." for part in page.fill(text).split(". ")]
    made = world.sheet(kind, title, lines, after, after + 200 * _DAY)
    made.project = page.slots["p"]
    made.tags = (kind,)
    made.plain = False
    return made


def _tell(world: World, where: Sheet, of: Sheet, section: str) -> None:
    page = Page(world.chance, {"t": of.title, "n": world.person()})
    line = page.fill(world.chance.choice(read_sections("chains")[section]))
    where.text.insert(0 if section == "replaces" else len(where.text), line)
