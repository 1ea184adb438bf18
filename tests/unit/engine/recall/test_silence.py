"""Silence is an answer, and never the same as not having been able to look (DESIGN section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import monotonic

import pytest

from engrain import Memory
from engrain.engine.core import upkeep
from engrain.engine.core.recalled import Recalled
from engrain.engine.recall.filling import WEAK
from unit.engine.core.vault_files import delete_index, titles

NOTES = {
    "Nightly lock": "The nightly job takes an advisory lock before it reads the ledger.",
    "Rounding": "Consumption tax is rounded once per rate and invoice.",
    "Webhook retries": "The card processor sends a webhook again after five seconds.",
    "Review": "Pull requests stay under three hundred lines.",
    "Fonts": "The bank file drops accents unless the text is folded first.",
}
FOREIGN = [
    "Which vineyards near Zaragoza did Marguerite visit before her lock got stolen?",
    "How do penguins read the ocean currents of Patagonia again?",
    "Does Kowalski prefer a pull of espresso with oat milk from Brisbane?",
]
OWN = [
    "why is the advisory lock taken by the nightly job",
    "how is consumption tax rounded",
    "when does the card processor send a webhook again",
]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for title, text in NOTES.items():
        memory.save(text, title=title, kind="fix")
    return memory


@pytest.mark.parametrize("query", FOREIGN)
def test_a_prompt_about_nothing_in_the_vault_gets_nothing_and_is_reported_so(
    filled: Memory, query: str
) -> None:
    found = filled.recall(query)
    assert (found.results, found.rejected, found.degraded) == ((), True, None)
    assert found.withheld > 0
    assert 0 < found.relevance < 0.5


@pytest.mark.parametrize("query", OWN)
def test_a_prompt_about_something_in_the_vault_gets_it(filled: Memory, query: str) -> None:
    found = filled.recall(query)
    assert found.results
    assert (found.rejected, found.withheld) == (False, 0)
    assert found.relevance > 0.5


@pytest.mark.parametrize("query", FOREIGN)
@pytest.mark.parametrize("profile", ["deep", "associative"])
def test_who_digs_gets_what_little_there_is(filled: Memory, query: str, profile: str) -> None:
    silent, found = filled.recall(query), filled.recall(query, profile=profile)
    assert found.results
    assert not found.rejected
    assert found.relevance == pytest.approx(silent.relevance)
    assert len(found.results) == silent.withheld


def test_no_word_in_common_is_no_match_rather_than_a_rejection(filled: Memory) -> None:
    found = filled.recall("splash screen animation")
    assert (found.results, found.rejected, found.withheld) == ((), False, 0)


@pytest.mark.parametrize("query", ["Thanks, that works!", "ok, go on", "yes please"])
def test_words_that_ask_for_nothing_get_nothing(filled: Memory, query: str) -> None:
    filled.save("It works. Go on, please, thanks!", title="Yes", kind="fix")
    found = filled.recall(query)
    assert (found.results, found.rejected, found.relevance) == ((), True, 0)
    assert filled.recall(query, profile="deep").results


def test_an_entry_asked_for_by_its_id_is_never_withheld(filled: Memory) -> None:
    saved = filled.save("Unrelated words.", title="Named", kind="fix")
    found = filled.recall(f"What has Kowalski of Brisbane got to do with {saved.id}?")
    assert titles(found) == ["Named"]


def test_what_could_not_be_searched_is_told_apart_from_what_found_nothing(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing = filled.recall("zebra")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    unable = filled.recall("zebra")
    assert (nothing.results, nothing.degraded) == ((), None)
    assert unable.results == ()
    assert not unable.rejected
    assert "missing" in (unable.degraded or "")


def test_an_empty_vault_has_nothing_to_reject(memory: Memory) -> None:
    found = memory.recall("anything at all")
    assert (found.results, found.rejected, found.relevance < 0.5) == ((), False, True)


def test_what_is_far_weaker_than_the_best_is_left_out_but_for_who_digs(filled: Memory) -> None:
    filled.save("The job is advertised in the paper.", title="Vacancy", kind="fix")
    query = "why is the advisory lock taken by the nightly job"
    assert titles(filled.recall(query)) == ["Nightly lock"]
    assert set(titles(filled.recall(query, profile="deep"))) == {"Nightly lock", "Vacancy"}
    explanation = filled.recall(query, explain=True).explanation
    assert explanation is not None
    assert [(cut.row.title, cut.reason) for cut in explanation.cut] == [("Vacancy", WEAK)]


# The nearest


def test_where_nothing_fits_the_nearest_are_told_apart_from_the_answer(filled: Memory) -> None:
    found = filled.recall(FOREIGN[0])
    assert found.results == found.given == ()
    assert titles_of(found.nearest) == ["Nightly lock"]
    assert found.nearest[0].row.score > 0
    assert found.leading == []


def test_at_most_three_of_them_are_shown(memory: Memory) -> None:
    words = ("amber", "basalt", "cobalt", "dolomite", "emerald")
    for word in words:
        memory.save(f"The lock of {word}.", title=word, kind="fix")
    found = memory.recall("did Marguerite of Zaragoza lose her lock")
    assert (found.results, found.withheld, len(found.nearest)) == ((), 5, 3)


def test_none_is_shown_where_something_fits_or_nothing_matches(filled: Memory) -> None:
    for query in (OWN[0], "splash screen animation"):
        assert filled.recall(query).nearest == ()


def test_chatter_that_somebody_searches_for_is_answered_by_the_nearest(filled: Memory) -> None:
    filled.save("Thanks to the lock the job works.", title="Thanks", kind="fix")
    found = filled.recall("thanks, that works")
    assert (found.results, titles_of(found.nearest)) == ((), ["Thanks"])


def test_who_has_no_time_gets_none(filled: Memory) -> None:
    assert filled.recall(FOREIGN[0], deadline=monotonic() + 60).nearest == ()


def test_what_the_reader_has_already_is_not_near(filled: Memory) -> None:
    (near,) = filled.recall(FOREIGN[0]).nearest
    assert filled.recall(FOREIGN[0], loaded=[near.row.id]).nearest == ()


def titles_of(found: Sequence[Recalled]) -> list[str]:
    return [one.row.title for one in found]


@pytest.mark.parametrize(
    "question",
    [
        "Wie wird die Steuer beim advisory lock der Jobs berechnet?",
        "Pourquoi est-ce que le advisory lock est pris par la tâche ?",
        "Почему задача берёт advisory lock?",
        "なぜジョブはadvisory lockを取りますか?",
    ],
)
def test_words_of_another_language_do_not_speak_against_what_is_named(
    filled: Memory, question: str
) -> None:
    for number in range(20):
        filled.save(f"The compost heap {number} is turned.", title=f"Garden {number}", kind="fix")
    assert titles(filled.recall(question))[:1] == ["Nightly lock"]


def test_where_the_vault_is_in_the_language_of_the_question_lacking_words_count(
    memory: Memory,
) -> None:
    for number in range(20):
        memory.save(f"Der Kompost {number} wird in der Woche {number} gewendet.", kind="fix")
    memory.save("Die Rechnung der Druckerei kommt am Ersten.", kind="fix")
    assert titles(memory.recall("Wann kommt die Rechnung der Druckerei?"))
    lost = "Welche Weingüter bei Saragossa hat Margarete vor der Druckerei besucht?"
    assert memory.recall(lost).results == ()
