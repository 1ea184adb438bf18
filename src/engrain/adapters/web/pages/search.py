"""Search: the results of a recall with their reasons, and the block that an agent would get. The
recall is not counted as a use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engrain.adapters.present.text import LEFT_OUT, NEAREST, describe_entry, fence_parts, make_mark
from engrain.adapters.web.asking import Answer, Ask, Page
from engrain.engine.core.recalled import Reasons, Recall, TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import DEFAULT_PROFILE, PHASES, PROFILES
from engrain.language.text.instants import parse_local, parse_moment
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import UsageError
from engrain.model.note.tiers import STATUSES

_LISTED = 50
_MOST = 1000
_FLAGS = ("include_archive", "include_superseded", "include_inbox")


def show(ask: Ask) -> Answer:
    query, scope = ask.get("q"), _read_scope(ask)
    values = {
        "query": query,
        "asked": {name: ask.get(name) for name in ask.query},
        "profiles": PROFILES,
        "default": DEFAULT_PROFILE,
        "phases": PHASES,
        "statuses": STATUSES,
        "why": bool(ask.get("why")),
        "found": None,
        "listing": None,
    }
    if query:
        return Page("search.html", {**values, **_recall(ask, query, scope)})
    limit = ask.number("limit", _LISTED, _MOST)
    listing = ask.memory.list(scope=scope, limit=limit)
    texts = ask.memory.texts(listing.rows)
    more = {"listing": listing, "texts": texts, "next": min(limit * 2, _MOST)}
    return Page("search.html", {**values, **more})


def _recall(ask: Ask, query: str, scope: Scope) -> dict[str, object]:
    why = bool(ask.get("why"))
    # Without a session nothing is noted, and no entry gains weight by being shown.
    found = ask.memory.recall(
        query,
        session=None,
        profile=ask.choice("profile", PROFILES),
        phase=ask.choice("phase", PHASES),
        limit=ask.number("limit", 0, _MOST) or None,
        scope=scope,
        explain=why,
    )
    block, _ = fence_parts([describe_entry(one) for one in found.given], make_mark())
    return {
        "found": found,
        "nearest": NEAREST,
        "texts": ask.memory.texts([one.row for one in found.nearest]),
        "results": list(_number(found)),
        "block": block,
        "tokens": estimate_tokens(block),
        "cut": LEFT_OUT,
        "bars": list(map(_measure, (one.reasons for one in found.given))) if why else [],
    }


def _number(found: Recall) -> Iterator[tuple[str, object]]:
    """Yield each result after the part of the answer that it is in, "" for the main results."""
    parts: dict[str, Sequence[object]] = {"": found.results}
    if isinstance(found, TaskRecall):
        parts |= {"a mistake to avoid": found.avoid_these, "a skill": found.skills}
    for name, part in parts.items():
        for one in part:
            yield name, one


def _measure(reasons: Reasons | None) -> list[tuple[str, str, float, float]]:
    """Return (name, note, worth, share of the largest) of each channel and prior."""
    if reasons is None:
        return []
    worth = [
        (
            part.channel,
            f"rank {part.rank}, {part.score:.2f} × {part.factor:.2f}" if part.rank else "",
            part.score * part.factor,
        )
        for part in reasons.parts
        if part.score
    ]
    top = max((abs(value) for _, _, value in worth), default=0.0) or 1.0
    bars = [(name, note, value, abs(value) / top) for name, note, value in worth]
    priors = [(name, "factor", factor, factor / 2) for name, factor in reasons.priors.items()]
    return bars + priors


def _read_scope(ask: Ask) -> Scope:
    project = ask.get("project")
    archive, superseded, inbox = (bool(ask.get(name)) for name in _FLAGS)
    return Scope(
        kinds=read_words(ask.get("kind")),
        tags=read_words(ask.get("tag")),
        statuses=read_words(ask.get("status")),
        tiers=read_words(ask.get("tier")),
        project=project or None,
        all_projects=not project,
        since=read_date(ask.get("since")),
        until=read_date(ask.get("until")),
        as_of=read_date(ask.get("as_of"), parse_moment),
        include_archive=archive,
        include_superseded=superseded,
        include_inbox=inbox,
    )


def read_words(text: str) -> list[str]:
    """Return words that are separated by blanks or commas."""
    return text.replace(",", " ").split()


def read_date(text: str, read: Callable[[str], float] = parse_local) -> float | None:
    """Return a date in epoch seconds, None for no text. Raises UsageError."""
    try:
        return read(text) if text else None
    except (ValueError, OverflowError):
        raise UsageError(f"{text[:40]!r} is no date", remedy="write it like 2026-09-01") from None
