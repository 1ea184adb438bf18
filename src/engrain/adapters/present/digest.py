"""The digest for a person, in a terminal or as markdown, and for a program."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean, clean_line
from engrain.language.text.instants import format_instant
from engrain.lifecycle.upkeep.digest import (
    ARCHIVED,
    CONTRADICTED,
    CURATED,
    EDITED,
    ERASED,
    FAILED,
    LEARNED,
    LOST,
    PERSONAL,
    PROMOTED,
    PROPOSED,
    UNDONE,
    Digest,
    Item,
)

HEADINGS = {
    CURATED: ("Changed in what you share", "take one back with `engrain undo CHANGE`"),
    EDITED: ("Edited by other programs", "in effect; yours outside Memory/, external inside it"),
    PROPOSED: ("Waits for your word", "`engrain review show ID`, `accept ID`, `reject ID`"),
    ARCHIVED: (
        "Archived, replaced, forgotten, restored",
        "`engrain restore ID` brings an original back",
    ),
    PROMOTED: ("Loaded in every session, or no more", "keep one with `engrain pin ID`"),
    LEARNED: ("Learned from what agents did", "take one back with `engrain undo CHANGE`"),
    UNDONE: ("Taken back", "an undo is undone by its own CHANGE"),
    CONTRADICTED: ("Contradictions", "`engrain evolve` or `engrain forget` the one that is wrong"),
    ERASED: ("Erased", "nothing of it is left to take back"),
    FAILED: ("Jobs that failed", "`engrain jobs log` has more"),
    LOST: ("Not injected", "what hooks could not give; `engrain doctor` has more"),
    PERSONAL: ("Uses of your own notes", "`engrain personal log` has all"),
}
"""What each section is called, and what the operator can do about it; in this order."""

_MOST = 20
"""Items of a section that a person is shown."""
_MARKUP = "\\`*_[]<>#|!~%=$&"
"""Of markdown, and of what Obsidian adds to it: `%%` would hide all that follows."""


def digest_lines(digest: Digest, style: Callable[[str, str], str]) -> Iterator[str]:
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
    for line in _closing(digest):
        yield ""
        yield line


def digest_markdown(digest: Digest) -> Iterator[str]:
    """As a note, every item with its change, so that each can be undone from it."""
    yield f"# {_opening(digest)}"
    for name, (heading, hint) in HEADINGS.items():
        items = digest.sections.get(name, ())
        if not items:
            continue
        yield ""
        yield f"## {heading} ({len(items)})"
        yield ""
        yield f"{hint}."
        yield ""
        for item in items:
            yield f"- **{_escape(_what(item))}** {_escape(_facts(item))}"
    for line in _closing(digest):
        yield ""
        yield line


def describe_digest(digest: Digest) -> Data:
    """For a program."""
    return {
        "since": None if digest.since is None else format_instant(digest.since),
        "until": format_instant(digest.now),
        **{name: [_describe(item) for item in digest.sections.get(name, ())] for name in HEADINGS},
        "inbox": digest.inbox,
        "inbox_since": None if digest.inbox_since is None else format_instant(digest.inbox_since),
        "unattested": digest.unattested,
    }


def _opening(digest: Digest) -> str:
    since = "the beginning" if digest.since is None else format_instant(digest.since)
    count = sum(map(len, digest.sections.values()))
    return f"Since {since}: {count or 'nothing'} to tell"


def _closing(digest: Digest) -> Iterator[str]:
    if digest.inbox:
        since = digest.inbox_since
        oldest = "" if since is None else f", the oldest since {format_instant(since)[:10]}"
        yield f"{digest.inbox} in the inbox{oldest}: `engrain list --status inbox`."
    if digest.unattested:
        yield (
            f"{digest.unattested} of the agent's own are attested by nobody and count as external:"
            " `engrain device show`."
        )


def _what(item: Item) -> str:
    told = item.title or item.path or item.entry
    return f"{item.op}: {told}" if item.op else told


def _facts(item: Item) -> str:
    facts = [
        "" if item.at is None else format_instant(item.at),
        item.change,
        item.entry,
        f"by {item.agent or item.trust}" if item.agent or item.trust else "",
        item.reason,
    ]
    return "  ".join(fact for fact in facts if fact)


def _describe(item: Item) -> Data:
    return {
        "change": item.change or None,
        "op": item.op or None,
        "entry": item.entry or None,
        "title": clean(item.title),
        "path": clean(item.path),
        "at": None if item.at is None else format_instant(item.at),
        "agent": item.agent or None,
        "trust": item.trust or None,
        "reason": clean(item.reason),
    }


def _escape(text: str) -> str:
    """Text of an entry inside a line of markdown: no markup of its own."""
    return "".join(f"\\{char}" if char in _MARKUP else char for char in clean_line(text))
