"""fact: add, list, show, forget, settle."""

from __future__ import annotations

import argparse

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text, read_when, refuse_others
from engrain.adapters.present.entities import (
    describe_fact,
    describe_fact_outcome,
    describe_whole,
    fact_lines,
    fact_outcome_lines,
    whole_fact_lines,
)
from engrain.model.errors import UsageError
from engrain.model.facts.fact import SOURCES
from engrain.model.note.tiers import ORIGINS

_ADD = ("entity", "type", "edge", "date", "since", "until", "source", "ref", "confidence")
_TAKEN = {
    "add": _ADD,
    "list": ("all", "as_of", "known_at"),
    "show": (),
    "forget": ("reason",),
    "settle": (),
}
"""What each action takes beside its words."""
_WORDS = {
    "add": ("TEXT",),
    "list": ("ENTITY",),
    "show": ("ENTITY", "FACT"),
    "forget": ("ENTITY", "FACT"),
    "settle": ("ENTITY", "FACT"),
}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(_TAKEN), help="what to do")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="TEXT|ENTITY [FACT]",
        help="add: one statement, or -; else an entity by any of its names, and a fact's id",
    )
    parser.add_argument("--entity", metavar="E", help="add: whom or what it is about")
    parser.add_argument("--type", metavar="T", help="add: person, company, project, …")
    parser.add_argument("--edge", metavar="P:O", help="add: as a relation, such as works_at:Acme")
    parser.add_argument("--date", metavar="D", help="add: when it was said; else now")
    parser.add_argument("--since", metavar="D", help="add: since when it holds")
    parser.add_argument("--until", metavar="D", help="add: until when it held")
    parser.add_argument("--source", choices=SOURCES, help="add: what it is from; else manual")
    parser.add_argument("--ref", metavar="REF", help="add: which meeting, session or file")
    parser.add_argument("--confidence", type=float, metavar="C", help="add: from 0 to 1")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")
    parser.add_argument("--all", action="store_true", help="list: what holds no longer too")
    parser.add_argument("--as-of", metavar="D", help="list: what held on that date")
    parser.add_argument(
        "--known-at", metavar="D", help="list: by what was recorded up to that date"
    )
    parser.add_argument("--reason", metavar="WHY", help="forget: kept in the history")


def _fact(args: argparse.Namespace, console: Console) -> int:
    refuse_others("fact", args, _TAKEN, {})
    wanted = _WORDS[args.action]
    if len(args.words) != len(wanted):
        raise UsageError(
            f"fact {args.action} takes {' and '.join(wanted)}",
            remedy="put a statement of several words in quotes" if args.action == "add" else None,
        )
    return _ACTIONS[args.action](args, console)


def _add(args: argparse.Namespace, console: Console) -> int:
    if not args.entity:
        raise UsageError("whom or what is it about?", remedy="give --entity NAME")
    with open_from(args) as memory:
        outcome = memory.add_fact(
            args.entity,
            read_text(args.words[0], console),
            type=args.type or "",
            edge=_read_edge(args.edge),
            source=args.source or "manual",
            ref=args.ref,
            at=read_when(args.date),
            valid_from=read_when(args.since),
            valid_to=read_when(args.until),
            confidence=args.confidence,
        )
        filed = memory.entity(outcome.slug)
    lines = fact_outcome_lines(outcome, filed, console.style)
    return console.answer("fact", describe_fact_outcome(outcome), lines)


def _read_edge(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    predicate, colon, object_ = text.partition(":")
    if not (predicate.strip() and colon and object_.strip()):
        raise UsageError(
            f"{text[:60]!r} is no relation",
            remedy="give a predicate and an object, such as works_at:Acme",
        )
    return predicate.strip(), object_.strip()


def _list(args: argparse.Namespace, console: Console) -> int:
    known_at = read_when(args.known_at)
    as_of = read_when(args.as_of) or known_at
    with open_from(args) as memory:
        filed = memory.entity(args.words[0], known_at=known_at)
    entity = filed.entity
    if as_of is not None:
        facts = entity.held_at(as_of)
    else:
        facts = list(entity.facts) if args.all else entity.active
    lines = fact_lines(filed, facts, console.style)
    return console.answer("fact", describe_whole(filed, facts, ""), lines)


def _show(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        filed, fact = memory.fact(*args.words)
    return console.answer(
        "fact",
        {"entity": filed.slug, **describe_fact(fact)},
        whole_fact_lines(filed, fact, console.style),
    )


def _forget(args: argparse.Namespace, console: Console) -> int:
    entity, fact_id = args.words
    with open_from(args) as memory:
        filed, fact = memory.forget_fact(entity, fact_id, args.reason or "")
    lines = [f"forgotten: {fact.content}", f"  of {filed.slug}; `engrain undo` brings it back"]
    return console.answer("fact", {"entity": filed.slug, **describe_fact(fact)}, lines)


def _settle(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        filed, fact = memory.settle_fact(*args.words)
    return console.answer(
        "fact",
        {"entity": filed.slug, **describe_fact(fact)},
        whole_fact_lines(filed, fact, console.style),
    )


_ACTIONS = {"add": _add, "list": _list, "show": _show, "forget": _forget, "settle": _settle}

COMMANDS = {
    "fact": Command(
        _arguments,
        _fact,
        'engrain fact add --entity "Alice Moreau" --type person "Alice Moreau speaks Dutch."',
        'engrain fact add --entity Alice --edge works_at:Acme "Alice Moreau works at Acme."',
        'engrain fact add --entity Apollo --type project --date 2026-03-01 "Apollo uses Postgres."',
        "engrain fact list alice-moreau --all",
        "engrain fact list alice --as-of 2025-06-01",
        "engrain fact settle alice-moreau 8f3k2m1x",
        'engrain fact forget alice-moreau 8f3k2m1x --reason "a joke"',
    )
}
