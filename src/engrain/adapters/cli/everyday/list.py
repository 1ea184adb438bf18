"""`engrain list`: entries by filter, newest first."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, Filtered, Fresh, MemoryCommand, flag, option
from engrain.adapters.cli.reading import count_elsewhere
from engrain.adapters.present.records import describe_listing
from engrain.adapters.present.text import elsewhere_lines, listing_lines
from engrain.api.memory import Memory
from engrain.model.note.tiers import STATUSES


@dataclass(kw_only=True)
class ListCommand(Filtered, Fresh, MemoryCommand):
    """List entries by filter, newest first."""

    examples = """
engrain list --kind preference
engrain list --all --limit 20
engrain list --status deleted --json
"""
    limit: int | None = option("at most so many", "N", short="-n")
    all: bool = flag("of every status, archive and inbox included")

    def run_in(self, memory: Memory) -> Answer:
        if self.all:
            self.status = list(STATUSES)
        scope = self.scope()
        listing = memory.list(scope=scope, limit=self.limit)
        elsewhere = count_elsewhere(listing, scope, lambda wider: memory.list(scope=wider, limit=1))
        since = memory.sessions.since_recall(listing.rows) if self.console.as_json else None
        lines = [*listing_lines(listing), *elsewhere_lines(elsewhere)]
        return {**describe_listing(listing, since), "elsewhere": elsewhere}, lines


COMMAND = ListCommand
