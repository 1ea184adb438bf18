"""What the simulated developer is like: every parameter of the world, and why it is as it is.

Where no source is named it is our judgement of a developer's day. They were fixed before any policy
was tuned, and are not to be changed to make one look well.
"""

from __future__ import annotations

SEED = 20_260_131
"""The world that policies may be tuned to, with the seeds that follow it; `bench.living` names the
first of those whose figures are published."""
START = 1_767_600_000.0
"""Monday, 5 January 2026, 8:00 UTC: when the first day begins, in epoch seconds."""
DAYS = 730
"""Two years: long enough that what slept for months wakes up."""
SESSIONS_A_DAY = 5
"""In the mean over all days, those without any among them."""
DAY_AT_WORK = 43_200
"""Seconds from the first session of a day to the end of the last."""
FOR_EVER = 3650
"""Days that are longer than any world: no gap and no stretch is."""

WEEKEND = 0.2
"""A weekend day's share of a weekday's sessions."""
VACATIONS = ((95, 7), (196, 19), (298, 6), (356, 11))
"""Day of the year and days without a session: some six weeks a year, the longest in summer."""
BURST, BURST_LIFT = 0.08, 1.8
"""Weeks before a deadline, and how many more sessions they have: work comes in bursts (Barabási,
The origin of bursts and heavy tails in human dynamics, 2005)."""

TAIL = 0.5
"""How the share of gaps longer than t falls: t^-0.5, which is a density of t^-1.5 as measured of
what people return to (Vazquez et al., Modeling bursts and heavy tails in human dynamics, 2006). A
power function too is how need falls with time since the last use (Anderson and Schooler,
Reflections of the environment in memory, 1991)."""

PROJECTS_AT_ONCE, PROJECTS_AT_MOST = 2, 3
"""Projects at work at one time: two in the main, a third when an old one calls."""
PROJECT_WORK = (45, 0.7)
"""Days that a project is at work at a stretch, median and spread: six weeks, give or take."""
PROJECT_ENDS = 0.25
"""Stretches that are a project's last."""
PROJECT_PAUSE = 21
"""Shortest pause of a project in days."""
OUTSIDE = 0.12
"""Sessions in no project: the machine, a script, a question."""
STAY = 0.75
"""Sessions in the project of the one before: switching costs."""

TOPICS_AT_ONCE = 3
"""Topics at work in a project, each a feature, a defect hunt, a migration; outside of any, one."""
TOPIC_WORK = (9, 0.9)
"""Days that a topic is at work at a stretch, median and spread: days to weeks."""
TOPIC_ENDS = 0.5
"""Stretches after which a topic is done with for good."""
TOPIC_PAUSE = 3
"""Shortest pause of a topic in days."""
TOPIC_RESUMES = 0.8
"""Topics at work that go on when their project wakes; the others have been overtaken."""
STAY_WITH = 0.6
"""Sessions with the topic that the last one of the project had."""
GOAL_TOPICS = 0.4
"""Topics that the roadmap speaks of: the rest is upkeep."""

TERMS, GOALS, GOAL_TERMS = 16, 12, 4
"""Terms of a topic, of a roadmap, and those of the roadmap in a topic that it speaks of."""
DRIFT = 0.08
"""Sessions that bring their topic a new term and drop one: what work is about drifts."""

SAVES = (0, 0, 1, 1, 1, 2, 2, 3, 3, 5)
"""What one session in ten saves: 1.8 on the mean, as automatic capture gives."""
KINDS = {
    "fix": 24, "decision": 14, "workflow": 12, "domain-reference": 16, "memory": 22,
    "insight": 9, "preference": 3,
}  # fmt: skip
"""Kinds of what is saved, in hundredths: a coding agent mostly fixes and notes."""
MATTERS = {
    "fix": 0.16, "decision": 0.25, "workflow": 0.3, "domain-reference": 0.25, "memory": 0.05,
    "insight": 0.15, "preference": 0.6,
}  # fmt: skip
"""Facts of each kind that are asked for again: under a fifth of all; most notes never are."""
GOAL_LIFT = 1.3
"""How much more often a fact matters whose topic the roadmap speaks of."""
STANDING, GENERAL = 0.12, 0.04
"""Facts about how a project is built and run, which any of its sessions may need, and about how
the developer works, which any session at all may need."""
REPEATS = 0.2
"""Noise that says again what was saved before: agents repeat themselves."""
WORDS = (8, 60)
"""Words of a note: a line to a paragraph."""

NEED = (2, 1.0)
"""Shortest gap between two needs of a fact, median and spread over facts, in days: few facts are
needed daily, most now and then."""
CHANGES, CHANGES_AFTER = 0.25, (45, 0.8)
"""Facts that matter which cease to be true, and after how many days, median and spread."""
EVOLVES = 0.7
"""Changes for which the agent replaces the old entry; else it saves the new one beside it."""
ASKS = 4
"""Prompts of one session that memory answers, at most."""
PAIRED = 0.15
"""Prompts that two facts answer."""
SPOKEN, FORGOTTEN, DETAIL = 0.8, 0.4, 0.45
"""Terms of a fact that a prompt for it has: those its topic still has, those that it has lost, and
the one that is the fact's own. People ask in other words than they wrote."""
USED = 0.8
"""Wanted facts that the agent then acts on, where they come."""
UNKNOWN, SMALL_TALK = 0.4, 0.5
"""Sessions with a prompt in the topic's words that nothing answers; with one about nothing."""

PEOPLE, TEAM = 14, 4
"""People there are, and on one project."""
MENTION, MENTION_NOISE = 0.25, 0.1
"""Facts that matter which name somebody, and others: what was asked for by name counts more."""

LONG_SLEEP = 60
"""Days without a session on a topic from which it counts as a sleeper."""
