"""What importing transcripts came to, as data and as lines for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engrain.adapters.present.records import Data
from engrain.adapters.present.sources import tell_passed
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.learn.transcripts.filing import TranscriptRead


class TranscriptCounts:
    """The sums of an import: episodes by outcome, files by host, requests without tools, what was
    passed over, and the files that could not be read."""

    __slots__ = ("hosts", "outcomes", "passed", "problems", "without_tools")

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.hosts: Counter[str] = Counter()
        self.passed: Counter[str] = Counter()
        self.problems: list[tuple[str, str]] = []
        self.without_tools = 0

    def add(self, read: TranscriptRead) -> None:
        """Count one more transcript."""
        self.hosts[read.host] += 1
        self.outcomes.update(read.outcomes)
        self.passed.update(read.passed)
        self.without_tools += read.without_tools


def describe_transcripts(counts: TranscriptCounts) -> Data:
    return {
        "outcomes": dict(counts.outcomes),
        "transcripts": dict(counts.hosts),
        "without_tools": counts.without_tools,
        "passed_over": dict(counts.passed),
        "problems": [{"path": path, "message": message} for path, message in counts.problems],
    }


def transcript_lines(counts: TranscriptCounts, style: Style) -> Iterator[str]:
    found = ", ".join(f"{count} {outcome}" for outcome, count in counts.outcomes.items())
    yield f"episodes: {found}" if found else "no episodes"
    for host, count in sorted(counts.hosts.items()):
        yield style("dim", f"  transcripts of {clean_line(host)}: {count}")
    if counts.without_tools:
        yield style("dim", f"  requests that ran no tool: {counts.without_tools}")
    if passed := tell_passed(counts.passed):
        yield style("dim", f"  passed over: {passed}")
    for path, message in counts.problems:
        yield style("warning", f"left out: {clean(path)}: {clean_line(message)}")
