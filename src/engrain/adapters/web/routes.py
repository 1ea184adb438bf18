"""The table of the console's pages: method, path, and what answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.adapters.web.asking import Answer, Ask
from engrain.adapters.web.pages import (
    care,
    changing,
    editing,
    entry,
    experience,
    graph,
    home,
    people,
    review,
    search,
    sessions,
    timeline,
)

Handler: TypeAlias = Callable[[Ask], Answer]

ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", home.show),
    ("GET", "/search", search.show),
    ("GET", "/entry", entry.show),
    ("POST", "/entry/act", changing.act),
    ("GET", "/entry/edit", editing.show),
    ("POST", "/entry/edit", editing.edit),
    ("POST", "/entry/evolve", editing.evolve),
    ("GET", "/entry/erase", changing.plan_erasure),
    ("POST", "/entry/erase", changing.erase),
    ("GET", "/entry/erased", changing.show_erased),
    ("GET", "/timeline", timeline.show),
    ("GET", "/change", timeline.show_change),
    ("GET", "/undo", timeline.plan),
    ("POST", "/undo", timeline.undo),
    ("GET", "/review", review.show),
    ("GET", "/proposal", review.show_proposal),
    ("POST", "/review", review.decide),
    ("GET", "/people", people.show),
    ("GET", "/person", people.show_one),
    ("POST", "/person", people.change),
    ("GET", "/graph", graph.show),
    ("GET", "/sessions", sessions.show),
    ("GET", "/session", sessions.show_one),
    ("GET", "/experience", experience.show),
    ("GET", "/care", care.show),
    ("POST", "/care", care.run_job),
    ("POST", "/care/setting", care.set_value),
    ("POST", "/care/backup", care.back_up),
)

MENU = (
    ("/", "Home"),
    ("/search", "Search"),
    ("/timeline", "Timeline"),
    ("/review", "Review"),
    ("/people", "People"),
    ("/graph", "Graph"),
    ("/sessions", "Sessions"),
    ("/experience", "Experience"),
    ("/care", "Care"),
)
"""The pages that every page leads to."""
