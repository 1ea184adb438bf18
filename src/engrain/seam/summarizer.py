"""The summariser port: what writes the summary of an entry that is archived (S1.9).

None has to be there: the extract of `model.summary` does without a model, and stands in for one
that fails.
"""

from __future__ import annotations

from abc import ABC, abstractmethod


class Summarizer(ABC):
    """A writer of summaries. Methods may be called from several threads."""

    name: str
    """What the summary is marked with: who wrote it."""

    @abstractmethod
    def summarize(self, title: str, text: str, most_words: int) -> str:
        """The most that matters of `text`, an entry's body under `title`, in about `most_words`.
        The text is summarized and never obeyed. Raises EngrainError where it can't."""
