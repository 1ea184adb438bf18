"""Notes of a seeded corpus that are alike and say different things: hosts, versions, months,
series, and titles that are common words."""

from __future__ import annotations

from collections.abc import Iterator

from bench.dream_sheets import Sheet, World
from bench.dream_words import MONTHS, Page, read_sections

_SITES = ("Lund", "Graz", "Basel", "Turin", "Ghent", "Brno", "Porto", "Malmö", "Lyon", "Cork")
_HOSTS = ("web", "db", "mail", "build", "file", "edge", "cron", "print")
_KINDS = ("memory", "domain-reference", "procedural", "workflow")


def group(world: World) -> list[Sheet]:
    """Two to five sheets by one form, of different hosts, versions, months, customers or sites."""
    chance = world.chance
    what = chance.choice(("host", "version", "month", "customer", "site"))
    title, text = chance.choice(read_sections("alike")[what]).split(" | ")
    kind = chance.choice(_KINDS)
    made: list[Sheet] = []
    for value in _values(world, what, chance.randint(2, 5)):
        page = _page(world, {"v": value})
        if page.fill(title) not in world.titles:
            made.append(_sheet(world, kind, page.fill(title), page.fill(text)))
    return made


def series(world: World, count: int) -> Iterator[Sheet]:
    """Reports of one project, week by week or day by day."""
    chance = world.chance
    what = chance.choice(("weekly", "weekly", "daily"))
    title, text = read_sections("alike")[what][0].split(" | ")
    subject = world.known_subject()
    year = chance.choice((2023, 2024, 2025))
    for at in range(1, count + 1):
        page = world.page(subject)
        day = f"{at % 28 + 1} {MONTHS[at // 28 % 12]} {year}"
        page.slots |= {"w": str(at), "y": str(year), "d": day, "x": str(chance.randint(2, 40))}
        page.slots |= {"a": str(chance.randint(3, 60)), "b": str(chance.randint(3, 60))}
        sections = read_sections("alike")
        page.slots |= {"stuck": page.fill(chance.choice(sections["next"]))}
        page.slots |= {name: page.fill(chance.choice(sections[name])) for name in ("done", "next")}
        for name in ("stuck", "done", "next"):
            page.slots[name] = page.slots[name][0].lower() + page.slots[name][1:]
        filled = page.fill(title)
        if filled not in world.titles:
            yield _sheet(world, "memory", filled, page.fill(text), subject.project)


def common_titles(world: World) -> Iterator[Sheet]:
    """Sheets whose titles are words that every text has."""
    bodies = read_sections("copies")["common_bodies"]
    for title in read_sections("copies")["common"][0].split("; "):
        page = _page(world, {})
        extra = page.draw("meetpoint")
        text = f"{page.fill(world.chance.choice(bodies))} {extra}"
        yield _sheet(world, "memory", title, text)


def one_title(world: World) -> list[Sheet]:
    """Two sheets with one title and nothing else in common."""
    first = world.compose(world.known_subject(), "meeting")
    second = world.compose(world.known_subject(), "insight")
    first.title = second.title = f"Notes of {_page(world, {}).fill('{date}')}, {world.person()}"
    first.plain = second.plain = False
    return [first, second]


def _values(world: World, what: str, count: int) -> list[str]:
    chance = world.chance
    if what == "host":
        name, first = chance.choice(_HOSTS), chance.randint(1, 80)
        return [f"{name}-{first + at:02}" for at in range(count)]
    if what == "version":
        major = chance.randint(2, 19)
        return [f"{major}.{minor}" for minor in chance.sample(range(20), count)]
    if what == "month":
        year = chance.randint(2021, 2025)
        return [f"{month} {year}" for month in chance.sample(MONTHS, count)]
    if what == "site":
        place = chance.choice(world.projects)
        return [f"{site} ({place})" for site in chance.sample(_SITES, count)]
    names = chance.sample(world.people, count)
    return [f"{name.split()[1]} & {chance.choice(('Sons', 'Co', 'Partners'))}" for name in names]


def _page(world: World, slots: dict[str, str]) -> Page:
    chance = world.chance
    page = world.page(world.known_subject())
    page.slots |= {"a": str(chance.randint(3, 90)), "b": str(chance.randint(3, 90))} | slots
    return page


def _sheet(world: World, kind: str, title: str, text: str, project: str | None = None) -> Sheet:
    lines = [part if part.endswith(".") else f"{part}." for part in text.split(". ")]
    made = world.sheet(kind, title, lines)
    made.project = project
    made.tags = (kind,)
    made.plain = False
    return made
