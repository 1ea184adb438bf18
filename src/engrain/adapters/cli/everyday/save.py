"""`engrain save`: file one memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engrain.adapters.cli.options import (
    TRUST,
    Answer,
    Arguments,
    Command,
    open_here,
    open_typed,
    read_date,
    read_end,
    read_text,
)
from engrain.adapters.present.records import answer_outcome
from engrain.model.errors import IndexUnavailableError, NotFoundError, UsageError

if TYPE_CHECKING:
    from engrain.api.memory import Memory


_FACTORS = ("surprise", "goal", "social", "utility")
"""Options that together make a weight (S3.3)."""


def _save(memory: Memory, args: Arguments) -> Answer:
    factors = {name: getattr(args, name) for name in _FACTORS if getattr(args, name) is not None}
    if factors and args.weight is not None:
        raise UsageError(
            "--weight and the factors exclude each other", remedy="give it, or factors"
        )
    outcome = memory.save(
        read_text(args.text),
        title=args.title,
        kind=args.kind,
        tags=args.tag or None,
        project=args.project,
        status=args.status,
        slug=args.slug,
        created=read_date(args.created),
        valid_to=read_end(args.until),
        confidence=args.confidence,
        weight=factors or args.weight,
        derived_from=[_find_source(memory, name) for name in args.derived_from],
        source="cli",
        ref=args.ref or memory.journal.current() or None,
        due=args.due,
    )
    outcome.like = memory.find_older(outcome)
    return answer_outcome(outcome)


def _find_source(memory: Memory, name: str) -> str:
    """Return the id of a source; a name that no entry has stays as it is."""
    try:
        return memory.show(name).row.id
    except (NotFoundError, IndexUnavailableError):
        return name


COMMAND = Command(
    _save,
    f"""
text=TEXT?            the text, or - for standard input
--title T             the title; else the first heading or line
--kind K              preference, fix, decision, …; else detected
--tag T*              a tag; may be repeated
--status S            active (the default), inbox, …
--slug S              the file's name; else made from the title
--created WHEN        when it happened; else now
--until WHEN          up to when it holds; a date alone means the end of that day
--confidence C/float  from 0 to 1
--weight W/float      from 0 to 1; else estimated
--surprise F/float    from 0 to 1: it contradicted what was believed
--goal F/float        from 0 to 1: it serves the project's goals
--social F/float      from 0 to 1: it is about somebody who matters
--utility F/float     from 0 to 1: it proved useful
--derived-from ID*    what it was drawn from: an id, a slug or a title
--ref REF             where it comes from: a session (else the current one), a URL
--due DATE            of a commitment: the day it is due
{TRUST}
$ engrain save --kind fix --title "Pooler drops prepared statements" --tag postgres -
$ engrain save "Prefer small pull requests" --kind preference --trust operator
$ engrain save --kind commitment --due 2026-10-01 "I will send the report."
$ engrain save --until 2026-12-18 "The staging database is frozen."
$ engrain save --kind decision --created 2026-09-01 "We round tax once per rate."
""",
    opens=lambda args: open_typed(args, open_here),
)
