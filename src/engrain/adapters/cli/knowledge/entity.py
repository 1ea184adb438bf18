"""entity: list, show, merge, split, rename, alias, reindex."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when, refuse_others
from engrain.adapters.present.entities import (
    describe_entity,
    describe_whole,
    entity_lines,
    entity_list_lines,
)
from engrain.engine.entities.entity import Filed
from engrain.model.errors import UsageError
from engrain.model.note.tiers import ORIGINS

_TAKEN = {
    "list": ("type", "as_of", "known_at", "disputed"),
    "show": ("as_of", "known_at", "all"),
    "merge": ("reason",),
    "split": ("reason",),
    "rename": (),
    "alias": (),
    "reindex": (),
}
"""What each action takes beside its words."""
_WORDS = {
    "list": (),
    "show": ("ENTITY",),
    "merge": ("the ENTITY that stays", "the OTHER that goes into it"),
    "split": ("ENTITY", "the OTHER that was merged into it"),
    "rename": ("ENTITY", "NAME"),
    "alias": ("ENTITY", "NAME"),
    "reindex": (),
}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(_TAKEN), help="what to do")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="ENTITY [OTHER|NAME]",
        help="an entity by its name, an alias, its slug or id; merge: what stays, what goes",
    )
    parser.add_argument("--type", metavar="T", help="list: person, company, project, …")
    parser.add_argument("--as-of", metavar="D", help="list, show: what held on that date")
    parser.add_argument(
        "--known-at", metavar="D", help="list, show: by what was recorded up to that date"
    )
    parser.add_argument(
        "--disputed", action="store_true", help="list: where it is not clear what holds"
    )
    parser.add_argument("--all", action="store_true", help="show: facts that hold no longer too")
    parser.add_argument("--reason", metavar="WHY", help="merge, split: kept in the history")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _entity(args: argparse.Namespace, console: Console) -> int:
    refuse_others("entity", args, _TAKEN, {})
    wanted = _WORDS[args.action]
    if len(args.words) != len(wanted):
        takes = " and ".join(wanted) or "no names"
        raise UsageError(f"entity {args.action} takes {takes}", remedy="see `engrain entity -h`")
    return _ACTIONS[args.action](args, console)


def _list(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        found = memory.entities(
            args.type,
            as_of=read_when(args.as_of),
            known_at=read_when(args.known_at),
            disputed=args.disputed,
        )
    return console.answer(
        "entity",
        {"entities": [describe_entity(filed) for filed in found], "total": len(found)},
        entity_list_lines(found, console.style),
    )


def _show(args: argparse.Namespace, console: Console) -> int:
    known_at = read_when(args.known_at)
    as_of = read_when(args.as_of) or known_at
    with open_from(args) as memory:
        filed = memory.entity(args.words[0], known_at=known_at)
        summary = memory.entity_summary(filed.id, as_of=as_of, known_at=known_at)
    entity = filed.entity
    if as_of is not None:
        facts = entity.held_at(as_of)
    else:
        facts = list(entity.facts) if args.all or console.as_json else entity.active
    return console.answer(
        "entity",
        describe_whole(filed, facts, summary),
        entity_lines(filed, facts, summary, console.style),
    )


def _merge(args: argparse.Namespace, console: Console) -> int:
    kept, other = args.words
    with open_from(args) as memory:
        filed = memory.merge_entities(kept, other, args.reason or "")
    return _tell(filed, console, f"takes the place of {other} too")


def _split(args: argparse.Namespace, console: Console) -> int:
    kept, other = args.words
    with open_from(args) as memory:
        filed = memory.split_entity(kept, other, args.reason or "")
    return _tell(filed, console, f"is apart from {kept} again")


def _rename(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        filed = memory.rename_entity(*args.words)
    return _tell(filed, console, "is its name now")


def _alias(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        filed = memory.add_alias(*args.words)
    return _tell(filed, console, f"goes by {args.words[1]} too")


def _reindex(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        written = memory.reindex_entities()
    line = "written: Memory/entities/index.json" if written else "up to date already"
    return console.answer("entity", {"written": written}, [line])


def _tell(filed: Filed, console: Console, what: str) -> int:
    entity = filed.entity
    one = len(entity.active) == 1
    hold = "1 fact that holds" if one else f"{len(entity.active)} facts that hold"
    facts = f"{hold}, {len(entity.historical)} that did"
    lines = [f"{entity.name} ({filed.slug}) {what}", f"  {facts}"]
    return console.answer("entity", describe_entity(filed), lines)


_ACTIONS = {
    "list": _list,
    "show": _show,
    "merge": _merge,
    "split": _split,
    "rename": _rename,
    "alias": _alias,
    "reindex": _reindex,
}

COMMANDS = {
    "entity": Command(
        _arguments,
        _entity,
        "engrain entity list --type person",
        'engrain entity show "Alice Moreau"',
        "engrain entity show alice-moreau --as-of 2025-06-01",
        "engrain entity merge robert-lee bob      # Bob is Robert Lee",
        "engrain entity split robert-lee bob      # no, he is not",
        "engrain entity alias robert-lee bob@example.com",
        "engrain entity reindex",
    )
}
