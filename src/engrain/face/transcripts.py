"""Transcripts: what agents did in their own sessions, taken in as episodes (S2.2)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engrain.learn.transcripts.filing import TranscriptRead


class Transcripts(Base):
    """Sessions of Claude Code, Codex and SWE-agent, read from their transcripts."""

    def import_transcript(
        self,
        lines: Iterable[bytes | None],
        name: str,
        *,
        project: str | None = None,
        find_project: Callable[[str], str | None] = lambda _: None,
    ) -> TranscriptRead:
        """Take in one transcript by its lines, each with its end, None for one too long to read.

        An episode is made of each request that ran a tool; taking the same in again changes
        nothing, and one that has gone on is brought up to date. `name` stands for a session that
        names itself nowhere; without a `project` it is what `find_project` has for the session's
        folder, else the current one. Raises MalformedError for what is no transcript of a host that
        is known.
        """
        from engrain.learn.transcripts.filing import import_transcript

        store = self._ready()
        return import_transcript(store, lines, name, project=project, find_project=find_project)
