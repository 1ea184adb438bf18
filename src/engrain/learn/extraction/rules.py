"""Extraction by rules: deterministic, without a model, precision before recall (S4.4)."""

from __future__ import annotations

import re

from engrain.learn.extraction.events import _DONE
from engrain.learn.extraction.phrasing import clauses_of
from engrain.learn.extraction.relations import Told, read_asides, read_relations
from engrain.learn.extraction.screening import asserts, asserts_clause, told_to_remember
from engrain.learn.extraction.sentences import is_speech, split_sentences
from engrain.learn.extraction.statements import state
from engrain.model.facts import FactDraft
from engrain.model.turns import AGENT, DOCUMENT, OPERATOR, OTHER
from engrain.seam.extractor import Extractor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engrain.model.turns import Turn

_FIRST = re.compile(r"^I (?P<said>.+)$")
_TOGETHER = re.compile(r"^[Ww]e (?:(?:just|even|also|recently|all|finally|actually) )*(?P<said>(?:(?!(?:need|heed|feed|speed|succeed|used|agreed)\b)\w+ed|went|took|made|bought|got|ran|won|built|wrote|spent|saw|began|sold|threw|drew|gave|enjoy|love) .+)$")
_ELLIPTIC = re.compile(
    rf"^(?:(?:just|also|finally|recently) )?(?P<said>(?:{_DONE}|been (?=\w+ing)|got|went|started|took|moved|had|gave|learned|spent|working on|studying|learning)\b.+)$"
)


class RulesExtractor(Extractor):
    """By the tables of patterns. `operator` is the name of the person whose memory this is."""

    name = "rules"

    def __init__(self, operator: str = "") -> None:
        self._operator = operator

    def extract(self, turns: Sequence[Turn], people: Sequence[str] = ()) -> list[FactDraft]:
        found: dict[tuple[str, str], FactDraft] = {}
        for turn in turns:
            for told in self._read(turn):
                draft = FactDraft(
                    told.name,
                    told.statement.content,
                    entity_type=told.type,
                    edge=told.statement.edge,
                    at=turn.at,
                    valid_from=told.statement.begun,
                    confidence=told.statement.pattern.sure,
                )
                found.setdefault((draft.entity, draft.content), draft)
        return list(found.values())

    def _read(self, turn: Turn) -> Iterator[Told]:
        if turn.role == AGENT:
            return
        speaker = turn.speaker
        for number, sentence in enumerate(split_sentences(turn.text)):
            text = sentence.text
            if not asserts(text, sentence.mark) or is_speech(text):
                continue
            yield from read_asides(speaker, text)
            for clause in clauses_of(text):
                if asserts_clause(clause):
                    yield from self._clause(speaker, clause, turn)

    def _clause(self, speaker: str, clause: str, turn: Turn) -> Iterator[Told]:
        wide = turn.role == OTHER
        told = list(read_relations(speaker, clause, turn.at, wide=wide))
        if told:
            yield from told
            return
        if (found := _FIRST.match(clause)) or (wide and (found := _TOGETHER.match(clause))):
            said = found["said"]
        elif wide and (found := _ELLIPTIC.match(clause[:1].lower() + clause[1:])):
            said = found["said"]
            said = "have " + said if said.startswith("been ") else said
            said = "am " + said if said.startswith(("working on", "studying", "learning")) else said
        else:
            return
        if statement := state(speaker, said, turn.at, wide=wide):
            yield Told(speaker, "person", statement)
