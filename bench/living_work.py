"""What the simulated developer has at work: projects and their topics, which begin, pause, wake and
end as the days go by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from bench import living_habits as habits
from bench.living_words import make_people, make_terms


class Fact:
    """What was saved: its terms, and when it is needed next and ceases to be true, if ever."""

    __slots__ = ("anchors", "due", "ends", "gap", "id", "kind", "saved")

    def __init__(self, id_: str, kind: str, anchors: tuple[str, str, str], saved: int) -> None:
        self.id = id_
        self.kind = kind
        self.anchors = anchors
        self.saved = saved
        self.gap = 1
        self.due: int | None = None
        self.ends: int | None = None


class Stretch:
    """What is at work until a day, then pauses until another, or for ever: a project or a topic."""

    __slots__ = ("asleep", "dead", "last", "until", "wakes")

    def __init__(self, day: int, until: int) -> None:
        self.until = until
        self.wakes = 0
        self.asleep = False
        self.dead = False
        self.last = day
        """The day of its last session."""

    @property
    def at_work(self) -> bool:
        return not self.asleep and not self.dead

    def pause(self, until: int) -> None:
        self.asleep, self.wakes = True, until

    def wake(self, until: int) -> None:
        self.asleep, self.until = False, until


class Topic(Stretch):
    __slots__ = ("facts", "goal", "left", "number", "past", "slept", "terms", "woke")

    def __init__(self, number: int, day: int, until: int, terms: list[str], goal: bool) -> None:
        super().__init__(day, until)
        self.number = number
        self.terms = terms
        self.goal = goal
        self.facts: list[Fact] = []
        """Those that matter, still true."""
        self.past: list[tuple[str, str, str]] = []
        """The terms of all that was ever saved."""
        self.left = 0
        """Days at work that were left when the project fell asleep."""
        self.woke, self.slept = -1, ""


class Project(Stretch):
    """A project, or what is outside of any (`name` None); `standing` is how it is built and run."""

    __slots__ = ("current", "goals", "name", "people", "standing", "topics", "written")

    def __init__(self, name: str | None, day: int, until: int, standing: Topic) -> None:
        super().__init__(day, until)
        self.name = name
        self.goals: list[str] = []
        self.people: list[str] = []
        self.topics: list[Topic] = []
        self.standing = standing
        self.current: Topic | None = None
        self.written = name is None


class _Pauses:
    """Pauses by the same power law as every gap, dealt like cards: of every four one is of each
    quarter of it, so that no world goes without long ones."""

    def __init__(self, chance: Random, least: int) -> None:
        self._chance = chance
        self._least = least
        self._quarters: list[int] = []

    def draw(self) -> int:
        """Days of the next."""
        if not self._quarters:
            self._quarters = self._chance.sample(range(4), 4)
        rest: float = 1 - (self._quarters.pop() + self._chance.random()) / 4
        return min(habits.FOR_EVER, round(self._least * math.pow(rest, -1 / habits.TAIL)))


class Agenda:
    """What is at work on the day it is."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance
        self._terms = make_terms(chance)
        self._people = make_people(chance, habits.PEOPLE)
        self._project_pauses = _Pauses(chance, habits.PROJECT_PAUSE)
        self._topic_pauses = _Pauses(chance, habits.TOPIC_PAUSE)
        self._topics = 0
        self.day = 0
        # What is outside of any project never ends: a preference stays one.
        self.outside = Project(None, 0, habits.FOR_EVER, self._new_topic(0, habits.FOR_EVER))
        self._projects: list[Project] = []
        self._last = self.outside

    def begin_day(self, day: int) -> None:
        """Projects and topics end, pause, wake and begin."""
        self.day = day
        for project in self._projects:
            self._turn_project(project)
        while sum(project.at_work for project in self._projects) < habits.PROJECTS_AT_ONCE:
            self._projects.append(self._new_project())
        for project in (self.outside, *self._projects):
            if project.at_work:
                self._turn_topics(project)

    def pick_project(self) -> Project:
        """What the next session is in: mostly where the one before was."""
        chance = self._chance
        if chance.random() < habits.OUTSIDE:
            return self.outside
        if not (self._last.name and self._last.at_work and chance.random() < habits.STAY):
            self._last = chance.choice([one for one in self._projects if one.at_work])
        return self._last

    def pick_topic(self, project: Project) -> Topic:
        """What a session in a project is about."""
        current = project.current
        if current is None or not current.at_work or self._chance.random() >= habits.STAY_WITH:
            current = self._chance.choice([one for one in project.topics if one.at_work])
            project.current = current
        return current

    def term(self) -> str:
        """Any term: that of another topic may come, as words of a trade do."""
        return self._chance.choice(self._terms)

    def span(self, law: tuple[int, float]) -> int:
        """Days of a stretch: log-normal, as durations of work are."""
        median, spread = law
        return max(1, round(median * self._chance.lognormvariate(0, spread)))

    def gap(self, least: int) -> int:
        """Days of a gap: a power law's."""
        return min(habits.FOR_EVER, round(least * self._chance.paretovariate(habits.TAIL)))

    def _turn_project(self, project: Project) -> None:
        chance = self._chance
        if project.at_work and project.until <= self.day:
            project.dead = chance.random() < habits.PROJECT_ENDS
            if not project.dead:
                project.pause(self.day + self._project_pauses.draw())
            for topic in project.topics:
                topic.left = max(1, topic.until - self.day)
        elif project.asleep and not project.dead and project.wakes <= self.day:
            if sum(other.at_work for other in self._projects) >= habits.PROJECTS_AT_MOST:
                return
            project.wake(self.day + self.span(habits.PROJECT_WORK))
            for topic in project.topics:
                if topic.at_work:
                    topic.wake(self.day + topic.left)
                    topic.dead = chance.random() >= habits.TOPIC_RESUMES

    def _turn_topics(self, project: Project) -> None:
        for topic in project.topics:
            if topic.at_work and topic.until <= self.day:
                topic.dead = self._chance.random() < habits.TOPIC_ENDS
                if not topic.dead:
                    topic.pause(self.day + self._topic_pauses.draw())
            elif topic.asleep and not topic.dead and topic.wakes <= self.day:
                topic.wake(self.day + self.span(habits.TOPIC_WORK))
        wanted = habits.TOPICS_AT_ONCE if project.name else 1
        while sum(topic.at_work for topic in project.topics) < wanted:
            until = self.day + self.span(habits.TOPIC_WORK)
            topic = self._new_topic(self.day, until, project.goals)
            project.topics.append(topic)

    def _new_project(self) -> Project:
        until = self.day + self.span(habits.PROJECT_WORK)
        name = f"{self.term()}-{len(self._projects)}".replace("_", "-")
        project = Project(name, self.day, until, self._new_topic(self.day, until))
        project.goals = [self.term() for _ in range(habits.GOALS)]
        project.people = self._chance.sample(self._people, habits.TEAM)
        return project

    def _new_topic(self, day: int, until: int, goals: Sequence[str] = ()) -> Topic:
        chance = self._chance
        terms = [self.term() for _ in range(habits.TERMS)]
        goal = bool(goals) and chance.random() < habits.GOAL_TOPICS
        if goal:
            terms[: habits.GOAL_TERMS] = chance.sample(goals, habits.GOAL_TERMS)
            chance.shuffle(terms)
        self._topics += 1
        return Topic(self._topics, day, until, terms, goal)
