"""`engrain digest`: what changed since the operator last looked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import MemoryCommand, flag, option
from engrain.adapters.cli.reading import read_when
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.language.lexicons import read_pairs
from engrain.language.text.instants import format_day, format_local
from engrain.lifecycle.upkeep.digest import LOST, Digest, DigestItem

HEADINGS = read_pairs("changes", "digest")
"""What each section is called, and what the operator can do about it; in this order."""

_MOST = 20
"""Items of a section that a person is shown."""


@dataclass(kw_only=True)
class DigestCommand(MemoryCommand):
    """Show what changed since you last looked."""

    examples = """
engrain digest
engrain digest --since 7d --peek
engrain digest --json
"""
    since: str | None = option("since a date, or 7d, 12h, 2w", "WHEN", rivals="1")
    all: bool = flag("since the beginning", rivals="1")
    peek: bool = flag("do not mark as seen: the next digest repeats it")

    def run_in(self, memory: Memory) -> int:
        since = read_when(self.since)
        digest = memory.review.digest(since=since, everything=self.all)
        losses = read_losses(self.resolve().state_dir, digest.since or 0.0)
        items = [
            DigestItem(at=one.at, op=one.event, title=one.reason, agent=one.host) for one in losses
        ]
        digest.add(LOST, items)
        self.console.answer("digest", describe_digest(digest), digest_lines(digest))
        self.console.flush()
        if not (self.peek or self.all or self.since):
            memory.review.note_look(digest)  # only what was delivered was seen
        return 0


def digest_lines(digest: Digest) -> Iterator[str]:
    """For a terminal."""
    yield style("title", _opening(digest))
    for name, (heading, hint) in HEADINGS.items():
        items = digest.sections.get(name, ())
        if not items:
            continue
        yield ""
        yield f"{style('title', f'{heading} ({len(items)})')}  {style('dim', clean_line(hint))}"
        for item in items[:_MOST]:
            yield f"  {clean_line(_what(item))}"
            yield style("dim", f"    {clean_line(_facts(item))}")
        if len(items) > _MOST:
            yield style("dim", f"  … and {len(items) - _MOST} more: --json has all")
    yield from _closing(digest)


def describe_digest(digest: Digest) -> Data:
    """Return the digest for a program."""
    item = "change? op? entry? title~ path~ at@ agent? trust? reason~"
    return {
        **fields(digest, "since@ until=now@"),
        **{name: [fields(one, item) for one in digest.sections.get(name, ())] for name in HEADINGS},
        **fields(digest, "inbox inbox_since@ unattested"),
    }


def _opening(digest: Digest) -> str:
    since = "the beginning" if digest.since is None else format_local(digest.since)
    count = sum(map(len, digest.sections.values()))
    return f"Since {since}: {count or 'nothing'} to report"


def _closing(digest: Digest) -> Iterator[str]:
    if digest.inbox:
        since = digest.inbox_since
        oldest = "" if since is None else f", the oldest since {format_day(since)}"
        yield from (
            "",
            f"{digest.inbox} in the inbox{oldest}: `engrain list --status inbox --all-projects`.",
        )
    if digest.unattested:
        yield from (
            "",
            f"{digest.unattested} of the agent's own have no proof of who wrote them and count as"
            " external: `engrain device show`.",
        )


def _what(item: DigestItem) -> str:
    subject = item.title or item.path or item.entry
    return f"{item.op}: {subject}" if item.op else subject


def _facts(item: DigestItem) -> str:
    facts = [
        "" if item.at is None else format_local(item.at),
        item.change,
        item.entry,
        f"by {item.agent or item.trust}" if item.agent or item.trust else "",
        item.reason,
    ]
    return "  ".join(fact for fact in facts if fact)


COMMAND = DigestCommand
