"""A vault of linked notes and questions whose answer is one, two or three links away.

Both are made here, by rules and a seed, and are nobody's real notes: people work in teams, teams
look after services, services keep their data in stores, and every note links to the next by name.
The words of a question other than the name in it stand in every note of the answer's kind, so that
without the links one is as good as another. Every note links to others too that have no part in it,
and a page links to all teams.

Kinds of questions: `one hop` asks a note about itself; `two hops` and `three hops` name a note and
ask what stands in another, the gold being all notes on the way; `foreign` name nobody there is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

_SEED = 17
_TEAMS, _PEOPLE, _SERVICES, _STORES, _OTHERS = 60, 240, 120, 60, 160
_SEE_ALSO = 3
_STARTS = "Bar Cal Del Fen Gor Hal Jor Kel Lum Mar Nor Orl Pel Quin Ros Sel Tav Ur Vel Wen"
_ENDS = "anda beck cott dale eran fold gast hern iver kamp lund mont ness ovar pool ridge"
_FIRST = """
Ada Bela Cora Dario Edda Farid Greta Hugo Ines Jonas Kaja Leon Mira Nils Olga Pavel Rosa Sami Tilda
Uwe Vera Willem Yara Zeno
"""
_NAMES = [start + end for start in _STARTS.split() for end in _ENDS.split()]
_FIRST_NAMES = _FIRST.split()
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_TOPICS = """
The build was slow last week, since the cache was cold after the move.
Someone asked for a shorter review; the list of open points is long.
The old printer on the third floor is gone for good.
A draft of the yearly plan lies on the shared drive, unread.
Lunch was moved to noon, which suits the people who come early.
The lights in the meeting room flicker when it rains.
A new chair was ordered, and a plant for the corner.
The release notes of spring were written by two people in an afternoon.
""".strip().splitlines()


class Asked(NamedTuple):
    """A question, the names of the notes on the way to its answer, the last of which has it, and
    its kind."""

    text: str
    way: tuple[str, ...]
    kind: str


class Web(NamedTuple):
    """Notes as (title, text) and the questions about them."""

    notes: list[tuple[str, str]]
    questions: list[Asked]


def make_web(seed: int = _SEED) -> Web:
    """The notes and the questions; the same for the same seed."""
    chance = random.Random(seed)
    words = iter(chance.sample(_NAMES, 300))
    teams = [f"Team {next(words)}" for _ in range(_TEAMS)]
    services = [f"{next(words)} service" for _ in range(_SERVICES)]
    stores = [f"{next(words)} store" for _ in range(_STORES)]
    lasts = [name for name in _NAMES if name not in " ".join(teams)]
    people = chance.sample([f"{a} {b}" for a in _FIRST_NAMES for b in lasts[-60:]], _PEOPLE)
    others = [f"Notes of week {number}" for number in range(1, _OTHERS + 1)]
    everything = [*teams, *services, *stores, *people, *others]
    team_of = {person: chance.choice(teams) for person in people}
    service_of = dict(zip(teams, chance.sample(services, _TEAMS), strict=True))
    store_of = {service: chance.choice(stores) for service in services}

    notes = []
    for person in people:
        text = f"{person} works in [[{team_of[person]}]] and sits on floor {chance.randint(1, 9)}."
        notes.append((person, text))
    for team in teams:
        text = (
            f"The team meets every {chance.choice(_DAYS)} at {chance.randint(8, 16)} o'clock."
            f" It looks after the [[{service_of[team]}]]."
        )
        notes.append((team, text))
    for service in services:
        text = (
            f"The service gives up after a timeout of {chance.randint(2, 90)} seconds."
            f" It keeps its data in the [[{store_of[service]}]]."
        )
        notes.append((service, text))
    for store in stores:
        text = (
            f"Backups of the store run at {chance.randint(0, 23)} o'clock and are kept for"
            f" {chance.randint(3, 60)} days."
        )
        notes.append((store, text))
    notes += [(other, " ".join(chance.sample(_TOPICS, 3))) for other in others]
    notes = [
        (title, f"{text}\n\n{chance.choice(_TOPICS)}\n\nSee also {_others(chance, everything)}.")
        for title, text in notes
    ]
    listed = "\n".join(f"- [[{team}]]" for team in teams)
    notes.append(("Teams and who meets when", f"All teams of the company:\n{listed}"))
    return Web(notes, list(_ask(team_of, service_of, store_of, lasts)))


def _others(chance: random.Random, names: Sequence[str]) -> str:
    return ", ".join(f"[[{name}]]" for name in chance.sample(names, _SEE_ALSO))


def _ask(
    team_of: dict[str, str], service_of: dict[str, str], store_of: dict[str, str], lasts: list[str]
) -> Iterator[Asked]:
    for person, team in list(team_of.items())[:60]:
        yield Asked(f"On which floor does {person} sit?", (person,), "one hop")
        yield Asked(f"On which day does the team of {person} meet?", (person, team), "two hops")
        way = (person, team, service_of[team])
        asked = f"What is the timeout of the service that {person}'s team looks after?"
        yield Asked(asked, way, "three hops")
    for team, service in service_of.items():
        yield Asked(f"When does {team} meet?", (team,), "one hop")
        asked = f"After how many seconds does the service of {team} give up?"
        yield Asked(asked, (team, service), "two hops")
        way = (team, service, store_of[service])
        asked = f"For how long are backups kept of the store of {team}'s service?"
        yield Asked(asked, way, "three hops")
    for number, last in enumerate(lasts[:60]):
        name = f"{_FIRST_NAMES[number % len(_FIRST_NAMES)]} {last}"
        yield Asked(f"On which day does the team of {name} meet?", (), "foreign")


def write_web(folder: Path, web: Web) -> None:
    """The notes as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for title, text in web.notes:
        (folder / f"{title.lower().replace(' ', '-')}.md").write_text(
            f"---\nkind: domain-reference\n---\n# {title}\n{text}\n"
        )
