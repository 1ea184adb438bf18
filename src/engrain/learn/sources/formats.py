"""Which format a file has, told from what it holds."""

from __future__ import annotations

from collections import Counter

from engrain.learn.sources import agents
from engrain.learn.sources.pieces import cut
from engrain.learn.sources.stream import LONGEST_LINE, Stream
from engrain.learn.sources.times import bound_times
from engrain.learn.transcripts.claude_code import is_claude_code
from engrain.learn.transcripts.codex import is_codex
from engrain.model.documents import parse_object
from engrain.model.errors import MalformedError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from engrain.learn.sources.pieces import Items
    from engrain.model.turns import Conversation

    Reader: TypeAlias = Callable[[Stream], Items]
    Test: TypeAlias = Callable[["Head"], bool]


class Head:
    """The beginning of a file, by which its format is told: its `name`, `text` and `lines`, and
    the objects of those that are JSON."""

    __slots__ = ("lines", "name", "objects", "text")

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = name.rpartition("/")[2]
        self.text = raw.decode(errors="replace").lstrip()
        self.lines = [line for line in self.text.split("\n")[:200] if line.strip()]
        self.objects = [parse_object(line) for line in self.lines[:50]]


class Format:
    """One format: its `name` and `meaning`, whether a file that begins so has it, and its reader.
    `appends` tells that it grows by whole lines, each of which says what it says by itself."""

    __slots__ = ("appends", "fits", "meaning", "name", "read")

    def __init__(
        self, name: str, meaning: str, fits: Test, read: Reader, *, appends: bool = False
    ) -> None:
        self.name = name
        self.meaning = meaning
        self.fits = fits
        self.read = read
        self.appends = appends


FORMATS: Mapping[str, Format] = {
    format_.name: format_
    for format_ in (
        Format(
            "claude-code",
            "sessions of Claude Code (JSON lines)",
            lambda head: any(map(is_claude_code, head.objects)),
            agents.read_claude_code_turns,
            appends=True,
        ),
        Format(
            "codex",
            "sessions of Codex (JSON lines)",
            lambda head: any(map(is_codex, head.objects)),
            agents.read_codex_turns,
            appends=True,
        ),
    )
}
"""In the order in which they are tried: the first that fits is it."""


def tell_format(stream: Stream) -> Format:
    """The format of a file. Raises MalformedError for one of none that is known."""
    raw = stream.head()
    if raw.lstrip()[:1] == b"{":  # the first line may be a long one
        while b"\n" not in raw and len(raw) < LONGEST_LINE:
            size = len(raw)
            raw = stream.head(2 * size)
            if len(raw) == size:
                break
    head = Head(stream.name, raw)
    for format_ in FORMATS.values():
        if format_.fits(head):
            return format_
    raise MalformedError("nothing that is known how to read", reason="format")


def find_format(name: str) -> Format:
    """A format by its name. Raises UsageError."""
    if name not in FORMATS:
        raise UsageError(f"no format {name!r}", remedy="there are " + ", ".join(FORMATS))
    return FORMATS[name]


def read_stream(
    stream: Stream, format_: Format, latest: float | None = None
) -> Iterator[Conversation]:
    """The conversations in a file of a format, in pieces; no turn is later than `latest`."""
    return cut(bound_times(format_.read(stream), latest, stream.passed))


def open_source(
    chunks: Iterable[bytes],
    name: str,
    *,
    format: str = "",  # noqa: A002 - what it is
    at: float | None = None,
    now: float | None = None,
    passed: Counter[str] | None = None,
) -> tuple[str, Iterator[Conversation]]:
    """The format of a file and the conversations in it, from its bytes in pieces of any size.

    `name` is the file's, with `/`; `at` is when it was last written and `now` what the clock says,
    behind neither of which a turn can lie. `passed` counts what was passed over. Of each
    conversation the turns are a list; one with more than `pieces.MOST_TURNS` of them comes in
    several pieces. Raises MalformedError for what can't be read, UsageError for a format of no such
    name.
    """
    stream = Stream(chunks, name, at=at, passed=passed)
    format_ = find_format(format) if format else tell_format(stream)
    bounds = [time for time in (at, now) if time is not None]
    return format_.name, read_stream(stream, format_, min(bounds, default=None))
