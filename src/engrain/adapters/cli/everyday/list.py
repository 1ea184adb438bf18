"""`engrain list`: entries by filter, newest first."""

from __future__ import annotations

from engrain.adapters.cli.options import FRESH, SCOPE, Answer, Arguments, Command, read_scope
from engrain.adapters.present.records import describe_listing
from engrain.adapters.present.text import elsewhere_lines, listing_lines
from engrain.api.memory import Memory
from engrain.model.note.tiers import STATUSES


def _list(memory: Memory, args: Arguments) -> Answer:
    if args.all:
        args.status = list(STATUSES)
    listing = memory.list(scope=read_scope(args), limit=args.limit)
    elsewhere = 0
    if not listing.total and not args.all_projects:
        args.all_projects = True
        elsewhere = memory.list(scope=read_scope(args), limit=1).total
    since = memory.sessions.since_recall(listing.rows) if args.console.as_json else None
    lines = [*listing_lines(listing), *elsewhere_lines(elsewhere)]
    return {**describe_listing(listing, since), "elsewhere": elsewhere}, lines


COMMAND = Command(
    _list,
    f"""
--limit,-n N/int  at most so many
--all             of every status, archive and inbox included
{FRESH}
{SCOPE}
$ engrain list --kind preference
$ engrain list --all --limit 20
$ engrain list --status deleted --json
""",
)
