"""What a new fact means for the known facts of the same entity."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.model.facts import Fact

NEW = "new"
DUPLICATE = "duplicate"
SUPERSEDES = "supersedes"
DISPUTED = "disputed"
OUTDATED = "outdated"


class Verdict:
    """What a new fact is to the known: `kind`, the `facts` it concerns, and the `reason` in words.

    NEW: it stands beside them. DUPLICATE: it says what the one of `facts` says. SUPERSEDES: those
    of `facts` hold no longer. DISPUTED: it and those can't both hold, and nothing tells which does.
    OUTDATED: those of `facts` came after it and say otherwise, so it held once.
    """

    __slots__ = ("facts", "kind", "reason")

    def __init__(self, kind: str, facts: Sequence[Fact] = (), reason: str = "") -> None:
        self.kind = kind
        self.facts = tuple(facts)
        self.reason = reason


def same_statement(a: str, b: str) -> bool:
    """Whether two sentences say the same."""
    return " ".join(a.lower().split()) == " ".join(b.lower().split())


def judge(new: Fact, known: Sequence[Fact], names: Sequence[str] = ()) -> Verdict:
    """What `new` means for the `known` facts of the same entity, which goes by `names`."""
    for fact in known:
        if same_statement(new.content, fact.content):
            return Verdict(DUPLICATE, (fact,), "the same words")
    return Verdict(NEW)
