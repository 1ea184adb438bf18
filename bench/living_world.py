"""The simulated world: two years of one developer with a coding agent, as what is saved and asked.

It knows nothing of the engine and of no policy, and was fixed before any was tuned. `live` gives
day after day of sessions of events; the same seed gives the same world on every machine, because
chance is `random.Random`'s alone and every duration is a whole number of days.

Topics are what facts are about (`living_work`). A topic is in work for days or weeks, then pauses
or dies; with its project it sleeps and wakes. A fact that matters is asked for again, at gaps with
a heavy tail, while its topic is at work; what is not asked for again was noise. `living_habits` has
every parameter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from bench import living_habits as habits
from bench.living_events import Ask, Day, Event, Save, Session, Supersede, Used
from bench.living_words import write_note, write_prompt, write_title
from bench.living_work import Agenda, Fact, Project, Topic


def live(seed: int = habits.SEED, days: int = habits.DAYS) -> Iterator[Day]:
    """The days of one world."""
    chance = Random(seed)
    counts = _count_sessions(chance, days)
    agenda = Agenda(chance)
    # Words have a chance of their own: how a note is worded decides nothing of what happens.
    developer = _Developer(chance, agenda, Random(seed + _PEN))
    for day in range(days):
        at = habits.START + day * 86_400
        agenda.begin_day(day)
        made = []
        for number in range(counts[day]):
            apart = habits.DAY_AT_WORK // counts[day]
            begin = at + number * apart
            project, events = developer.work()
            name = f"s{day:03}-{number:02}"
            made.append(Session(name, project, begin, begin + apart * 3 // 4, tuple(events)))
        yield Day(day, at, tuple(made))


def _count_sessions(chance: Random, days: int) -> list[int]:
    """Sessions of each day; in all as many as `habits.SESSIONS_A_DAY` says."""
    weights = []
    lift = 1.0
    for day in range(days):
        if day % 7 == 0:
            lift = habits.BURST_LIFT if chance.random() < habits.BURST else 1.0
        away = any(0 <= (day + 4) % 365 - start < length for start, length in habits.VACATIONS)
        weights.append(0.0 if away else lift * (habits.WEEKEND if day % 7 > 4 else 1.0))
    found = Counter(chance.choices(range(days), weights, k=days * habits.SESSIONS_A_DAY))
    return [found[day] for day in range(days)]


_PEN = 1_000_000_007
"""What sets the words' chance apart from that of the seeds that follow."""


class _Developer:
    """One developer in a session: what is asked and what is saved."""

    def __init__(self, chance: Random, agenda: Agenda, pen: Random) -> None:
        self._chance = chance
        self._pen = pen
        self._agenda = agenda
        self._met: set[str] = set()
        self._saved = 0

    def work(self) -> tuple[str | None, list[Event]]:
        """One session: its project and what happens."""
        chance = self._chance
        project = self._agenda.pick_project()
        topic = self._agenda.pick_topic(project)
        standing = self._agenda.outside.standing
        about = {topic: project, project.standing: project, standing: self._agenda.outside}
        for one, home in about.items():
            self._touch(one, home)
        project.last = self._agenda.day
        if chance.random() < habits.DRIFT:
            topic.terms.pop(chance.randrange(len(topic.terms)))
            topic.terms.insert(chance.randrange(4), self._agenda.term())
        events: list[Event] = []
        if not project.written:
            events.append(self._write_roadmap(project))
        events += self._ask(project, list(about))
        if chance.random() < habits.UNKNOWN:
            words = [chance.choice(topic.terms), self._agenda.term(), self._agenda.term()]
            prompt = write_prompt(self._pen, words)
            events.append(Ask(prompt, project.name, (), "", topic.number))
        if chance.random() < habits.SMALL_TALK:
            events.append(Ask(write_prompt(self._pen, ()), project.name, (), "", topic.number))
        for one, home in about.items():
            events += self._change(home, one)
        for _ in range(chance.choice(habits.SAVES)):
            events += self._file(project, topic)
        return project.name, events

    def _touch(self, topic: Topic, project: Project) -> None:
        """Note a session on a topic, and whether it ends a long sleep."""
        if self._agenda.day - topic.last >= habits.LONG_SLEEP:
            whole = self._agenda.day - project.last >= habits.LONG_SLEEP
            topic.woke, topic.slept = self._agenda.day, "project" if whole else "topic"
        topic.last = self._agenda.day

    def _ask(self, project: Project, about: Sequence[Topic]) -> Iterator[Event]:
        """Prompts for what is needed by now, the longest due first."""
        chance = self._chance
        due = [
            (fact.due, fact.id, fact, topic)
            for topic in about
            for fact in topic.facts
            if fact.due is not None
            and fact.due <= self._agenda.day
            and fact.saved < self._agenda.day
        ]
        due.sort(key=lambda item: item[:2])
        for _ in range(habits.ASKS):
            if not due:
                return
            _, _, fact, topic = due.pop(0)
            facts = [fact]
            if due and due[0][3] is topic and chance.random() < habits.PAIRED:
                facts.append(due.pop(0)[2])
            words = [word for one in facts for word in self._speak(one, topic)]
            slept = topic.slept if all(one.saved < topic.woke for one in facts) else ""
            wanted = tuple(one.id for one in facts)
            prompt = write_prompt(self._pen, list(dict.fromkeys(words)))
            yield Ask(prompt, project.name, wanted, slept, topic.number)
            for one in facts:
                one.due = self._agenda.day + self._agenda.gap(one.gap)
                if chance.random() < habits.USED:
                    yield Used(one.id)

    def _speak(self, fact: Fact, topic: Topic) -> list[str]:
        """The terms by which somebody asks for a fact: at least one of its own."""
        chance = self._chance
        *shared, own = fact.anchors
        words = [
            term
            for term in shared
            if chance.random() < (habits.SPOKEN if term in topic.terms else habits.FORGOTTEN)
        ]
        if not words or chance.random() < habits.DETAIL:
            words.append(own)
        return [*words, chance.choice(topic.terms)] if chance.random() < 0.5 else words

    def _change(self, project: Project, topic: Topic) -> Iterator[Event]:
        """What ceased to be true is replaced, or only contradicted by something new."""
        for number, fact in enumerate(topic.facts):
            if fact.ends is not None and fact.ends <= self._agenda.day:
                save, new = self._write(project, topic, fact.kind, fact.anchors)
                new.due, new.gap = fact.due, fact.gap
                topic.facts[number] = new
                evolves = self._chance.random() < habits.EVOLVES
                yield Supersede(fact.id, save) if evolves else save

    def _file(self, project: Project, topic: Topic) -> Iterator[Save]:
        """Something new to keep, noise or not."""
        chance = self._chance
        (kind,) = chance.choices(list(habits.KINDS), list(habits.KINDS.values()))
        place = chance.random()
        if kind == "preference" or place < habits.GENERAL:
            project, topic = self._agenda.outside, self._agenda.outside.standing
        elif place < habits.GENERAL + habits.STANDING:
            topic = project.standing
        matters = chance.random() < habits.MATTERS[kind] * (habits.GOAL_LIFT if topic.goal else 1.0)
        if not matters and topic.past and chance.random() < habits.REPEATS:
            anchors = chance.choice(topic.past)
        else:
            weights = [1 / rank for rank in range(1, len(topic.terms) + 1)]  # Zipf's law
            first, second = chance.choices(topic.terms, weights, k=2)
            if second == first:
                second = topic.terms[-1]
            anchors = (first, second, self._agenda.term())
        person = ""
        if project.people and chance.random() < (
            habits.MENTION if matters else habits.MENTION_NOISE
        ):
            person = chance.choice(project.people)
        if person and person not in self._met:
            self._met.add(person)
            yield self._introduce(topic, person)
        save, fact = self._write(project, topic, kind, anchors, person)
        if matters:
            fact.gap = self._agenda.span(habits.NEED)
            fact.due = self._agenda.day + self._agenda.gap(fact.gap)
            if chance.random() < habits.CHANGES:
                fact.ends = self._agenda.day + self._agenda.span(habits.CHANGES_AFTER)
            topic.facts.append(fact)
        yield save

    def _write(
        self,
        project: Project,
        topic: Topic,
        kind: str,
        anchors: tuple[str, str, str],
        person: str = "",
    ) -> tuple[Save, Fact]:
        pen = self._pen
        # Notes are short more often than long.
        length = min(pen.randint(*habits.WORDS), pen.randint(*habits.WORDS))
        words = [*topic.terms, self._agenda.term()]
        text = write_note(pen, kind, anchors, words=words, length=length - 12, person=person)
        title = write_title(pen, anchors)
        id_ = self._next_id()
        topic.past.append(anchors)
        tags = (anchors[0].replace("_", "-"), topic.terms[0].replace("_", "-"))
        save = Save(id_, project.name, kind, title, text, tuple(dict.fromkeys(tags)))
        return save, Fact(id_, kind, anchors, self._agenda.day)

    def _introduce(self, topic: Topic, person: str) -> Save:
        """Who somebody is, when first heard of."""
        anchors = self._chance.sample(topic.terms, 3)
        text = write_note(
            self._pen,
            "relationship",
            anchors,
            words=topic.terms,
            length=habits.WORDS[0],
            person=person,
        )
        return Save(self._next_id(), None, "relationship", person, text, ("people",))

    def _write_roadmap(self, project: Project) -> Save:
        project.written = True
        text = write_note(self._pen, "roadmap", (), words=(), length=0, goals=project.goals)
        return Save(self._next_id(), project.name, "roadmap", "Roadmap", text, ())

    def _next_id(self) -> str:
        self._saved += 1
        return f"f{self._saved:05}"
