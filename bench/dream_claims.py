"""Statements in notes of a seeded corpus: pairs that can't both hold, and pairs that can."""

from __future__ import annotations

import time
from functools import cache
from typing import NamedTuple

from bench.dream_sheets import BEGIN, Sheet, Subject, World
from bench.dream_words import FOLDER, MONTHS, Page, read_sections

_APART = 32 * 86_400
"""Seconds after which it is another month."""
WIDE = 70
"""Of a hundred contradictions so many are about attributes of components; the others were written
by hand as pairs."""


class Aspect(NamedTuple):
    """What can be said of a component: its values, and the frames that claim, deny or tell that it
    changed; `{s}` is the component, `{v}` the value and `{u}` the one before. Several values of one
    whose name begins with `*` may hold at once."""

    name: str
    values: tuple[str, ...]
    claims: tuple[str, ...]
    denials: tuple[str, ...]
    changes: tuple[str, ...]


class Pair(NamedTuple):
    """Two sheets and what they are to each other."""

    first: Sheet
    second: Sheet
    form: str


@cache
def aspects() -> tuple[Aspect, ...]:
    """The attributes of the file of statements."""
    found = []
    for block in (FOLDER / "statements.txt").read_text(encoding="utf-8").split("@ ")[1:]:
        head, *lines = block.strip().splitlines()
        name, _, values = head.partition(" | ")
        marked = {mark: tuple(x[2:] for x in lines if x.startswith(mark)) for mark in "!~"}
        claims = tuple(line for line in lines if line[0] not in "!~")
        found.append(Aspect(name, tuple(values.split("; ")), claims, marked["!"], marked["~"]))
    return tuple(found)


def unseen_half(seed: int, count: int) -> list[int]:
    """Which of `count` frames labels are made of: seed 0 has others than all further seeds, so that
    what was fitted on those meets new wordings."""
    return [at for at in range(count) if (at % 2 == 0) == (seed == 0)]


class Claims:
    """Makes the sheets that claim something."""

    __slots__ = ("chance", "halves", "told", "world")

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.chance = world.chance
        self.halves = [
            aspects()[at]
            for at in unseen_half(seed, len(aspects()))
            if aspects()[at].name[0] != "*"
        ]
        pairs = (FOLDER / "pairs.txt").read_text(encoding="utf-8").splitlines()
        halves = [pairs[at] for at in unseen_half(seed, len(pairs))]
        self.told = [
            (line, whom) for line in halves for whom in (range(40) if "{" in line else range(1))
        ]
        self.chance.shuffle(self.told)

    def facts(self) -> Sheet:
        """A sheet of two to four facts about a component, none told before."""
        chance, world = self.chance, self.world
        subject = world.known_subject()
        open_ = [one for one in aspects() if one.name not in subject.claimed]
        sheet = world.compose(subject, "reference")
        page = world.page(subject)
        for aspect in chance.sample(open_, min(len(open_), chance.randint(2, 4))):
            subject.claimed.add(aspect.name)
            value = self._values(aspect, 1)[0]
            self._put(sheet, _say(page, chance.choice(aspect.claims), subject.full, value))
        sheet.plain = True
        return sheet

    def contradiction(self, number: int) -> Pair:
        """Two sheets that can't both hold."""
        if number % 100 >= WIDE and self.told:
            return self._hand_written()
        aspect = self.chance.choice(self.halves)
        subject = self._subject(aspect)
        if aspect.denials and self.chance.random() < 0.25:
            [value] = self._values(aspect, 1)
            frames = (self.chance.choice(aspect.claims), self.chance.choice(aspect.denials))
            return self._pair(subject, frames, (value, value), "denied")
        one, other = self._values(aspect, 2)
        first, second = self.chance.sample(aspect.claims, 2)
        return self._pair(subject, (first, second), (one, other), aspect.name)

    def agreement(self) -> Pair:
        """Two sheets that say the same of a component in other words."""
        aspect = self.chance.choice(aspects())
        [value] = self._values(aspect, 1)
        first, second = self.chance.sample(aspect.claims, 2)
        return self._pair(self._subject(aspect), (first, second), (value, value), "agreement")

    def namesakes(self) -> Pair:
        """Two sheets that say different things of components with one name in two projects."""
        aspect = self.chance.choice(aspects())
        first = self._subject(aspect)
        second = self.world.new_subject(first.short)
        second.claimed.add(aspect.name)
        values = self._values(aspect, 2)
        sheets = []
        for subject, value in zip((first, second), values, strict=True):
            sheet = self.world.compose(subject)
            frame = self.chance.choice(aspect.claims)
            self._put(sheet, _say(self.world.page(subject), frame, f"the {subject.short}", value))
            sheets.append(sheet)
        return Pair(sheets[0], sheets[1], "namesakes")

    def change(self) -> Pair:
        """Two sheets of which the later says that what held on a day has changed since."""
        aspect = self.chance.choice([one for one in aspects() if one.changes])
        subject = self._subject(aspect)
        old, new = self._values(aspect, 2)
        first = self.world.compose(subject)
        page = self.world.page(subject)
        claim = _say(page, self.chance.choice(aspect.claims), subject.full, old)
        self._put(first, f"As of {_month(first)}: {claim}")
        second = self.world.compose(subject, after=first.created + _APART)
        page.slots |= {"u": old, "month": _month(second)}
        self._put(second, _say(page, aspect.changes[0], subject.full, new))
        return Pair(first, second, "change")

    def timed(self) -> Pair:
        """Two sheets whose values differ because they are of different months, as both say."""
        chance, subject = self.chance, self.world.new_subject()
        page = self.world.page(subject)
        low, high = chance.sample(range(12, 400), 2)
        two = chance.sample(self.world.people[:200], 2)
        page.slots |= {"s": subject.full, "a": str(low), "b": str(high), "n": two[0], "m": two[1]}
        sides = chance.choice(read_sections("alike")["timed"]).split(" // ")
        sheets: list[Sheet] = []
        for side, slot in zip(sides, ("d1", "d2"), strict=True):
            after = sheets[0].created + _APART if sheets else BEGIN
            sheet = self.world.compose(subject, "context", after)
            page.slots |= dict.fromkeys(("d", slot), _month(sheet))
            if chance.random() < 0.6:
                sheet.title = page.fill(chance.choice(read_sections("alike")["timed_titles"]))
            self._put(sheet, page.fill(side))
            sheets.append(sheet)
        return Pair(sheets[0], sheets[1], "timed")

    def _hand_written(self) -> Pair:
        line, whom = self.told.pop()
        project = self.world.projects[whom % len(self.world.projects)]
        people = self.world.people[300 + whom * 3 : 303 + whom * 3]
        slots = {"p": project, "n": people[0], "m": people[1], "k": people[2]}
        sheets = []
        known = [one for one in self.world.subjects if one.project == project]
        for side in line.split(" // "):
            sheet = self.world.compose(self.chance.choice(known or [self.world.new_subject()]))
            self._put(sheet, Page(self.chance, slots).fill(side))
            sheets.append(sheet)
        return Pair(sheets[0], sheets[1], "hand-written")

    def _subject(self, aspect: Aspect) -> Subject:
        subject = self.world.new_subject()
        subject.claimed.add(aspect.name)
        return subject

    def _values(self, aspect: Aspect, count: int) -> list[str]:
        values = self.world.people[200:300] if aspect.values == ("person",) else aspect.values
        return self.chance.sample(list(values), count)

    def _pair(
        self, subject: Subject, frames: tuple[str, str], values: tuple[str, str], form: str
    ) -> Pair:
        sheets = []
        for frame, value in zip(frames, values, strict=True):
            sheet = self.world.compose(subject)
            named = self.chance.random()
            called = subject.full
            if named > 0.6:  # its project is in the title and the frontmatter
                called = f"the {subject.short}"
            if named > 0.9:
                called = "it"
            self._put(sheet, _say(self.world.page(subject), frame, called, value))
            sheets.append(sheet)
        return Pair(sheets[0], sheets[1], form)

    def _put(self, sheet: Sheet, sentence: str) -> None:
        """Into the text, not as its beginning."""
        at = self.chance.randint(1, len(sheet.text))
        if sheet.steps:
            at = len(sheet.text)
        sheet.text.insert(at, sentence)
        sheet.plain = False


def _say(page: Page, frame: str, called: str, value: str) -> str:
    page.slots |= {"s": called, "v": value}
    if called == "it":
        frame = frame.replace("{s}'s", "its")
    return page.fill(frame)


def _month(sheet: Sheet) -> str:
    """The month a sheet was written in, in words."""
    day = time.gmtime(sheet.created)
    return f"{MONTHS[day.tm_mon - 1]} {day.tm_year}"
