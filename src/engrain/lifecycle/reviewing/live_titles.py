"""Live entries with nearly the same title as an entry of the inbox."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.language.copies.word_sets import is_near_copy, words_of
from engrain.seam.rows import CURRENT, Row


class LiveTitles:
    """The live entries by the words of their titles."""

    def __init__(self, store: Store) -> None:
        self._by_word: dict[str, list[tuple[frozenset[str], Row]]] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            words = words_of(row.title)
            for word in words:
                self._by_word.setdefault(word, []).append((words, row))

    def find(self, row: Row) -> Row | None:
        """Return the oldest live entry of the same kind and scope with nearly the same title."""
        words = words_of(row.title)
        # Nearly the same words lack at most one in ten, so looking up the rarest few is enough.
        rarest = sorted(words, key=lambda word: len(self._by_word.get(word, ())))
        for word in rarest[: len(words) // 10 + 1]:
            for others, other in self._by_word.get(word, ()):
                same = other.kind == row.kind and other.project in (None, row.project)
                if same and other.id != row.id and is_near_copy(words, others):
                    return other
        return None
