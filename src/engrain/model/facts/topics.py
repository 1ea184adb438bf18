"""What a fact is about: the order in which a person would tell of somebody or something (S4.5)."""

from __future__ import annotations

import re

from engrain.language.statements.predicates import find_predicate
from engrain.model.facts.fact import Fact

# (topic, predicates of its edges, words of its sentences). A predicate decides before any word; of
# the words those of the first topic that has one of them do.
_TOPICS = (
    (
        "work",
        "works_at job_title work_mode employment hours reports_to manages member_of ceo cto cfo coo"
        " chair founder founded headquarters headcount industry owned_by status owner sponsor"
        " customer product",
        r"works?|working|job|role|career|engineer|designer|manager|reports? to|leads?|manages?|"
        r"employ\w*|company|colleague|freelanc\w*|intern\w*|promot\w*|hired|ceo|cto|founded|"
        r"founder|team|department|headquarter\w*|volunteer\w*",
    ),
    (
        "home",
        "lives_in born_in timezone landlord venue",
        r"lives?|living|moved|based in|apartment|flat|house|born|grew up|hometown|resides?|located",
    ),
    (
        "family",
        "partner marital_status sibling parent child knows has_pet birthday age nickname pronouns",
        r"married|marri\w*|husband|wife|partner|engaged|divorc\w*|single|son|sons|daughters?|child|"
        r"children|kids?|mother|father|mom|dad|parents?|sister|brother|sibling|famil\w*|friends?|"
        r"dogs?|cats?|pets?|birthday",
    ),
    (
        "contact",
        "email phone_number username repository",
        r"e-?mail|phone|reach\w*|website|handle|repository|repo",
    ),
    (
        "studies",
        "studies_at studies speaks",
        r"stud(?:y|ies|ied|ying)|school|college|university|degree|course|classes|thesis|speaks?|"
        r"fluent|learn\w*",
    ),
    (
        "health",
        "diet allergic_to smokes chronotype doctor gym",
        r"allerg\w*|vegan|vegetarian|diet\w*|ill|sick|health\w*|doctor|surgery|therapy|injur\w*|"
        r"diagnos\w*|pregnan\w*|gluten|lactose",
    ),
    (
        "preferences",
        "prefers likes dislikes favourite editor browser os",
        r"prefers?|likes?|loves?|enjoys?|hates?|dislikes?|favou?rite|fan of|hobby|hobbies|interest"
        r"\w*|plays?|reads?|uses?|collects?",
    ),
    (
        "things",
        "owns car phone laptop bank language database frontend backend hosting ci chat tracker"
        " analytics payments vcs version license budget price funding valuation revenue branch port"
        " vendor",
        r"owns?|bought|has an?|drives?|car|bike|price|costs?|budget|version|database|framework|"
        r"written in|built (?:with|in|on)|hosted|runs on|funding|raised",
    ),
    (
        "plans",
        "deadline release_date start_date cadence meeting",
        r"plans?|planning|will|wants?|hopes?|deadline|due|release\w*|launch\w*|schedul\w*|goal",
    ),
)
OTHER = "other"
ORDER = (*(topic for topic, *_ in _TOPICS), OTHER)
"""The topics, as they are told one after the other."""

_BY_PREDICATE = {name: topic for topic, names, _ in _TOPICS for name in names.split()}
_BY_WORDS = [(topic, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for topic, _, words in _TOPICS]


def topic_of(fact: Fact) -> str:
    """The topic of a fact: by the predicate of its edge, else by its words."""
    if fact.edge is not None and (predicate := find_predicate(fact.edge.predicate)):
        name = "favourite" if predicate.name.startswith("favourite_") else predicate.name
        if topic := _BY_PREDICATE.get(name):
            return topic
    return next((topic for topic, words in _BY_WORDS if words.search(fact.content)), OTHER)
