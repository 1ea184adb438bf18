"""What a statement may be about, cheaply: only such as share a topic are read and compared."""

from __future__ import annotations

from functools import lru_cache

from engrain.model.claim_lexicon import OPPOSITES, ROLES, kind_of_tool, state_words
from engrain.model.claim_places import places
from engrain.model.claim_words import STOP, fold_word, words_of
from engrain.model.predicates import find_predicate

_GROUPS = """
@work: work join hire employ recruit poach headhunt job employer retire resign quit leave fire
    sack lay redundant payroll gig position role start defect jump freelance self-employed
    unemployed between engineer manager company title promote become name appoint career laid let
    hired land intern consultant developer designer director analyst scientist architect teacher
    nurse lead lawyer product occupation profession
@home: live move relocate reside base settle home apartment flat house headquarter hq office
    emigrate residence located address rent lease dwell place root seat
@love: marry married single engaged divorce divorced separated wife husband partner girlfriend
    boyfriend date relationship split broke break wedding hitch elope knot fiance fiancee widow
    wed vow proposal marriage engagement tie
@food: vegan vegetarian diet meat pescatarian keto plant-based omnivore eat steak fish carnivore
@smoke: smoke smoker non-smoker cigarette
@drink: alcohol sober booze teetotal drink wine beer
@date: deadline due ship launch release slip push postpone delay reschedule shift live deliver
    land deploy eta rollout kickoff date bring pull defer monday tuesday wednesday thursday friday
    saturday sunday january february march april june july august september october november
    december jan feb mar apr jun jul aug sep sept oct nov dec q1 q2 q3 q4 move meeting standup
@status: status hold pause cancel kill scrap shelve block track progress development beta complete
    done finish discontinue sunset abandon stall delay risk live green red yellow freeze park
    resume suspend production
@size: employee people headcount staff team person member worker strong
@boss: report manager boss supervisor manage line
@chief: ceo chief executive cto president chair managing director officer
@owner: own owner lead head maintain run take over hand inherit charge responsible pm dri point
    acquire subsidiary parent buy purchase
@car: drive car vehicle
@age: old age turn year
@taste: like love enjoy hate dislike adore prefer fan fond tired sick bored favourite stand keen
    detest loathe despise relish interest fed partial
@name: rename rebrand name call nickname know
@price: cost price charge fee subscription month pay rate rent
@study: study major degree university college student enrol attend phd doctorate school
@wake: wake get rise up
@version: version upgrade bump update pin release
"""
"""Words that may tell a relation of a group."""


@lru_cache(maxsize=1)
def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _GROUPS.replace("\n    ", " ").strip().splitlines():
        group, _, words = line.partition(": ")
        for word in words.split():
            found.setdefault(fold_word(word), set()).add(group)
    for phrase, (predicate, _) in state_words().items():
        for word in phrase.split():
            found.setdefault(fold_word(word), set()).add("=" + predicate)
    for tool, kind in kind_of_tool().items():
        for word in tool.split("_"):
            found.setdefault(fold_word(word), set()).add("+" + kind)
    for pair in OPPOSITES:
        for word in pair:
            found.setdefault(word, set()).add("<>" + min(pair))
    for role in ROLES:
        found.setdefault(fold_word(role), set()).add("@work")
    for place in places():
        for word in place.split():
            found.setdefault(fold_word(word), set()).add("@home")
    return {word: frozenset(groups) for word, groups in found.items()}


@lru_cache(maxsize=16384)
def topics_of(content: str, names: tuple[str, ...], edge: tuple[str, str] | None) -> frozenset[str]:
    """The words of a statement that say something, and the groups of relations they may tell."""
    own = {part.lower() for name in names for part in name.split()}
    groups = _groups()
    found: set[str] = _related(edge[0]) if edge else set()
    for word in words_of(content.replace("’", "'")):
        lower = word.lower().removesuffix("'s")
        if lower in STOP or lower in own:
            continue
        folded = fold_word(lower)
        found.add(folded)
        found |= groups.get(folded, frozenset())
    return frozenset(found)


def _related(predicate: str) -> set[str]:
    """The topics of an edge: its predicate, and what its words may tell."""
    known = find_predicate(predicate)
    name = known.name if known else predicate
    words = name.replace("-", "_").split("_")
    return {name}.union(*(_groups().get(fold_word(word), frozenset()) for word in words))
