"""Notes that say otherwise than another of the same thing, and can't both be right (S2.9, S1.17).

Statements of one project about one attribute of a thing that share a word of its name are held
against each other. Where one says itself that it changed, or one replaced the other, that is no
contradiction.
"""

from __future__ import annotations

from engrain.lifecycle.dreaming.duplicates import LEFT_ALONE
from engrain.lifecycle.dreaming.finding import CONTRADICTION, Finding
from engrain.model.lines import shorten
from engrain.model.note_statements import Subject, are_at_odds, read_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from engrain.engine.store import Store
    from engrain.model.memo import Memo
    from engrain.model.note_statements import Statement

ACTION = "contradict"

_SENTENCES = 60
_NEAR = 40
"""Of many statements about the same, each is held against so many that come after it."""
_RIVALS = 2
"""What many say otherwise of is no attribute that has one value: they are a series, or each is said
of something else."""
_QUOTE = 160


class _Said:
    """A statement, and the note that makes it."""

    __slots__ = ("created", "id", "linked", "statement")

    def __init__(self, memo: Memo, statement: Statement) -> None:
        self.id = memo.id
        self.created = memo.created or 0.0
        self.linked = frozenset((memo.supersedes or "", *(target for target, _ in memo.links)))
        self.statement = statement


def find_contradictions(_store: Store, memos: Iterable[Memo], _now: float) -> Iterator[Finding]:
    """A finding for each two notes that are at odds: (the later, the earlier)."""
    groups: dict[tuple[str, str, str], list[_Said]] = {}
    for memo in memos:
        if memo.kind in LEFT_ALONE:
            continue
        subject = Subject(memo.title, memo.project)
        for statement in read_statements(memo.text, subject, _SENTENCES):
            said = _Said(memo, statement)
            # What is named is found by one of its words, what may be any of a title's by each.
            words = statement.about if statement.open else sorted(statement.about)[:1]
            for word in words:
                key = (memo.project or "", statement.attribute, word)
                groups.setdefault(key, []).append(said)
    found: dict[tuple[str, str], tuple[_Said, _Said]] = {}
    for key in sorted(groups):
        group = groups[key]
        for at, one in enumerate(group):
            for other in group[at + 1 : at + 1 + _NEAR]:
                if one.id != other.id and are_at_odds(one.statement, other.statement):
                    later, earlier = sorted((one, other), key=lambda said: (-said.created, said.id))
                    found.setdefault((later.id, earlier.id), (later, earlier))
    rivals: dict[tuple[str, str], int] = {}
    for two in found.values():
        for one in two:
            key_ = (one.id, one.statement.attribute)
            rivals[key_] = rivals.get(key_, 0) + 1
    for pair in sorted(found):
        later, earlier = found[pair]
        if later.id in earlier.linked or earlier.id in later.linked:
            continue
        if max(rivals[one.id, one.statement.attribute] for one in found[pair]) > _RIVALS:
            continue
        yield Finding(
            CONTRADICTION,
            pair,
            ACTION,
            0.9,
            f"another {later.statement.attribute}",
            [(said.id, shorten(said.statement.text, _QUOTE)) for said in (later, earlier)],
        )
