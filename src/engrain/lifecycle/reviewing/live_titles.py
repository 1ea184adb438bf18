"""Live entries that say what an entry of the inbox says, told by the words of their titles."""

from __future__ import annotations

from engrain.engine.core.store import Store
from engrain.language.copies.word_sets import is_near_copy, words_of
from engrain.seam.rows import CURRENT, Row


def find_twin(store: Store, row: Row) -> Row | None:
    """The live entry that says what one in the inbox says, the oldest of several."""
    return LiveTitles(store).find(row)


class LiveTitles:
    """The live entries by the words of their titles."""

    def __init__(self, store: Store) -> None:
        self._by_word: dict[str, list[tuple[frozenset[str], Row]]] = {}
        for row in sorted(store.index.find(CURRENT), key=lambda row: row.id):
            words = words_of(row.title)
            for word in words:
                self._by_word.setdefault(word, []).append((words, row))

    def find(self, row: Row) -> Row | None:
        """The one of the same kind and scope with nearly the same title, None where none has."""
        words = words_of(row.title)
        # Of nearly the same words at most one in ten is missing, so the rarest few tell.
        rarest = sorted(words, key=lambda word: len(self._by_word.get(word, ())))
        for word in rarest[: len(words) // 10 + 1]:
            for others, other in self._by_word.get(word, ()):
                same = other.kind == row.kind and other.project in (None, row.project)
                if same and other.id != row.id and is_near_copy(words, others):
                    return other
        return None
