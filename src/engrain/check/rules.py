"""The table of rules of `engrain check`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.check import fields, files, links
from engrain.check.flaw import Flaw
from engrain.check.walk import WalkedFile
from engrain.engine.core.store import Store
from engrain.model.errors import UsageError
from engrain.seam.derived import Progress

ERROR, WARNING, NOTE = "error", "warning", "note"

LookAtFile: TypeAlias = "Callable[[WalkedFile], Iterator[Flaw]]"
LookAtStore: TypeAlias = "Callable[[Store, Progress | None], Iterator[Flaw]]"


@dataclass(frozen=True, slots=True)
class CheckRule:
    """A rule: its name, its severity, what it finds, and the function that finds it in each file of
    the walk or in the whole store. A finding has its own fix. A `deep` rule is slow: it runs with
    `--deep`, or if it is named."""

    name: str
    severity: str
    finds: str
    _: KW_ONLY
    each: LookAtFile | None = None
    whole: LookAtStore | None = None
    deep: bool = False


RULES: Mapping[str, CheckRule] = {
    rule.name: rule
    for rule in (
        CheckRule("unreadable", ERROR, "files that can't be read", whole=files.find_unreadable),
        CheckRule("merge-marks", ERROR, "marks of a merge by git", whole=files.find_merge_marks),
        CheckRule("missing", ERROR, "many notes gone at once", whole=files.find_missing_notes),
        CheckRule("stale", ERROR, "files unlike their index", each=files.find_stale),
        CheckRule("index", ERROR, "tables unlike the files", whole=files.find_differing, deep=True),
        CheckRule("history", ERROR, "altered changes", whole=files.find_broken_chains, deep=True),
        CheckRule("obstacle", ERROR, "what is in a note's place", whole=files.find_obstacles),
        CheckRule("copy", WARNING, "conflict copies", whole=files.find_conflict_copies),
        CheckRule("circle", WARNING, "notes that replace each other", whole=links.find_circles),
        CheckRule("missing-field", WARNING, "no id, kind or date", each=fields.find_missing),
        CheckRule("field", WARNING, "values of the wrong type", each=fields.find_wrong),
        CheckRule("kind", WARNING, "unknown kinds", each=fields.find_unknown_kind),
        CheckRule("relation", WARNING, "unknown relations", each=fields.find_unknown_relation),
        CheckRule("folder", WARNING, "notes in another kind's folder", each=fields.find_misfiled),
        CheckRule("broken-link", WARNING, "links to nothing", each=links.find_broken),
        CheckRule("one-sided", WARNING, "links without inverse", whole=links.find_one_sided),
        CheckRule("drawing", WARNING, "links that no graph shows", each=links.find_undrawn),
        CheckRule("doubtful", NOTE, "doubtful replacements", whole=links.find_doubtful),
        CheckRule("disputed", NOTE, "facts that can't all be so", whole=files.find_disputes),
        CheckRule("map", NOTE, "maps out of date", whole=files.find_old_maps),
        CheckRule("removed", NOTE, "notes removed by others", whole=files.find_removed_notes),
    )
}


def find_rule(name: str) -> CheckRule:
    """Return a rule of the table. Raises UsageError."""
    try:
        return RULES[name]
    except KeyError:
        raise UsageError(f"{name!r} is no rule", remedy="use one of " + ", ".join(RULES)) from None
