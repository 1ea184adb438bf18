"""Reads one file as the sources of learning are read, without a vault."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from engrain.learn.sources.formats import detect_format, find_format, read_stream
from engrain.learn.sources.stream import Stream
from engrain.model.facts.fact import Conversation


def open_source(
    chunks: Iterable[bytes],
    name: str,
    *,
    format: str = "",  # noqa: A002 - what it is
    at: float | None = None,
    now: float | None = None,
    passed: Counter[str] | None = None,
) -> tuple[str, Iterator[Conversation]]:
    """Return the format of a file and its conversations, from its bytes in pieces of any size.

    `name` is the file's, with `/`; no turn is later than `at`, when the file was last written, or
    `now`. `passed` counts what was skipped. The turns of each conversation are a list; one with
    more than `stream.MOST_TURNS` comes in several pieces. Raises MalformedError for what can't be
    read, UsageError for a format of no such name.
    """
    stream = Stream(chunks, name, at=at, passed=passed)
    format_ = find_format(format) if format else detect_format(stream)
    bounds = [time for time in (at, now) if time is not None]
    return format_.name, read_stream(stream, format_, min(bounds, default=None))
