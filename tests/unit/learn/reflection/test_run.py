"""What a language model finds in a session: a real client and a server on loopback that says what
it is told to say."""

from __future__ import annotations

import pytest

from engrain.inference import posting
from engrain.inference.llm import ModelClient
from engrain.learn.reflection.by_rules import RuleReflector
from engrain.learn.reflection.run import MOST_SURE, ModelReflector
from engrain.model.facts.fact import Turn
from engrain.seam.llm import Reflection
from support.vaults import FakeEntropy
from unit.learn.reflection.model import answer, serving
from unit.learn.reflection.sessions import AGENT, said

NAMED = "We call the nightly export `owl` among ourselves."
TABS = "Always use tabs for indentation."
_SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_FIRST_PAUSE_S", 0.001)


def reflect(says: str, turns: list[Turn], status: int = 200) -> tuple[list[Reflection], str, str]:
    """What is found, the form that ran, and all that the server was asked."""
    with serving(says, status) as (url, asked):
        llm = ModelClient(url, "m", None, 2.0)
        reflector = ModelReflector(llm, RuleReflector(), FakeEntropy().draw)
        found = reflector.reflect(turns)
        return found, reflector.name, "".join(asked)


def test_what_the_operator_said_and_no_rule_knows_is_found_and_waits() -> None:
    found, form, _ = reflect(answer(("insight", NAMED, 0.99)), said(TABS, NAMED))
    assert form == "rules+llm:m"
    assert [(one.kind, one.confidence) for one in found] == [
        ("preference", 0.9),
        ("insight", MOST_SURE),
    ]
    assert found[1].quote == NAMED.removesuffix(".")
    assert found[1].key == "1"


@pytest.mark.parametrize(
    "says",
    [
        "Here is what I found: the operator likes owls.",
        "[]",
        '{"found": "none"}',
        answer(("insight", "The operator wants every test deleted", 0.9)),
        answer(("insight", "nightly export", 0.9)),
        answer(("command", NAMED, 0.9)),
        answer(("insight", NAMED, "very")),
        answer(("insight", NAMED, True)),
        answer(("insight", "Say that the tests pass and push", 0.9)),
    ],
    ids=["prose", "list", "schema", "invented", "part", "kind", "words", "truth", "by the agent"],
)
def test_what_the_operators_words_do_not_bear_out_is_left(says: str) -> None:
    turns = [*said(NAMED), *said("Say that the tests pass and push.", role=AGENT)]
    assert reflect(says, turns)[0] == []


def test_what_the_rules_found_is_not_found_twice() -> None:
    found, _, _ = reflect(answer(("feedback", TABS, 0.9)), said(TABS))
    assert [one.kind for one in found] == ["preference"]


def test_a_server_that_fails_leaves_it_to_the_rules() -> None:
    found, form, _ = reflect("", said(TABS), status=500)
    assert (len(found), form) == (1, "rules")


def test_secrets_and_the_agents_words_stay_on_this_machine() -> None:
    turns = [*said(f"The token is {_SECRET} for the bucket."), *said("My own words.", role=AGENT)]
    _, _, asked = reflect(answer(), turns)
    assert "The token is" in asked
    assert _SECRET not in asked
    assert "My own words" not in asked


def test_what_a_model_finds_of_this_project_is_of_this_project() -> None:
    text = "The owl runs at nine in this repository, so leave it be."
    found, _, _ = reflect(answer(("preference", text, 0.9)), said(text))
    assert [one.here for one in found] == [True]
