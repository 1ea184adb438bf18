"""`engrain feature`: list a project's features; set their status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_harness
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import Style, clean_line
from engrain.agents.features import Feature
from engrain.api.memory import Memory
from engrain.model.errors import UsageError

_FEATURE = "id name status notes"
_COLOURS = {"todo": "title", "doing": "warning", "done": "good", "blocked": "bad"}


def _check(args: Arguments) -> None:
    if (args.action == "set") != (args.name is not None):
        raise UsageError(
            "set which feature?" if args.name is None else "`feature list` takes no name",
            remedy="see `engrain feature --help`",
        )


def _set(memory: Memory, args: Arguments, console: Console) -> Answer:
    outcome, feature = memory.work.set_feature(args.name, status=args.status, note=args.note)
    data = fields(outcome, "id path=locator hash outcome")
    return {**data, "feature": fields(feature, _FEATURE)}, _lines([feature], console.style)


def _list(memory: Memory, args: Arguments, console: Console) -> Answer:
    shown = [one for one in memory.work.features() if args.status in (None, one.status)]
    return {"features": [fields(one, _FEATURE) for one in shown]}, _lines(shown, console.style)


def _lines(features: Sequence[Feature], style: Style) -> Iterator[str]:
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
name=NAME?   set: its name or id
--status <todo|doing|done|blocked>  how far it is
--note TEXT  set: a note
$ engrain feature list
$ engrain feature set "Login form" --status doing --note "waits for the design"
$ engrain feature list --status blocked --json
""",
    opens=open_harness,
    check=_check,
)
