"""`engrain feature`: list a project's features; set their status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.cli.options import Answer, Arguments, Command, open_here
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import clean_line, style
from engrain.agents.features import Feature
from engrain.api.memory import Memory

_FEATURE = "id name status notes"
_COLOURS = {"todo": "title", "doing": "warning", "done": "good", "blocked": "bad"}


def _set(memory: Memory, args: Arguments) -> Answer:
    outcome, feature = memory.work.set_feature(args.name, status=args.status, note=args.note)
    data = fields(outcome, "id path=locator hash outcome")
    return {**data, "feature": fields(feature, _FEATURE)}, _lines([feature])


def _list(memory: Memory, args: Arguments) -> Answer:
    shown = [one for one in memory.work.features() if args.status in (None, one.status)]
    return {"features": list_fields(shown, _FEATURE)}, _lines(shown)


def _lines(features: Sequence[Feature]) -> Iterator[str]:
    for one in features:
        status = f"{clean_line(one.status):<8}"
        shown = style(_COLOURS[one.status], status) if one.status in _COLOURS else status
        notes = f"  {style('dim', clean_line(one.notes))}" if one.notes else ""
        yield f"{shown} {clean_line(one.name)}  {style('dim', clean_line(one.id))}{notes}"
    if not features:
        yield "no features; `engrain feature set NAME --status todo` adds one"


COMMAND = Command(
    [_list, _set],
    """
<list|set>   the action
name=NAME!   set: its name or id
--status <todo|doing|done|blocked>  how far it is
--note TEXT  set: a note
$ engrain feature list
$ engrain feature set "Login form" --status doing --note "waits for the design"
$ engrain feature list --status blocked --json
""",
    opens=open_here,
    strict=True,
)
