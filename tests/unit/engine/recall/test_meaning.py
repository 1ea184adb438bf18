"""Vectors beside words: which link of the chain took part, and what it added (S1.18)."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory, open_memory
from engrain.engine.core.recalled import Recall
from engrain.engine.core.vectors import SHORT, Vectors, context_key, own_key
from engrain.engine.recall.meaning import Meaning
from engrain.engine.recall.profiles import PROFILES
from engrain.engine.recall.rejection import THRESHOLD, silence_key
from engrain.index.rows import Found
from engrain.model.errors import ConfigError
from support.embedding_server import Reply, Request, serve
from support.vaults import FakeClock
from unit.engine.core.vault_files import put, titles
from unit.lifecycle.sessions.living import store_of

NOTES = {
    "Paging": "Whoever is on duty carries the yellow telephone.",
    "Lock": "The nightly job takes the advisory lock.",
    "Tax": "Consumption tax is rounded once per rate.",
    "Fonts": "The bank file drops accents.",
}


@pytest.fixture
def filled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """Notes with the vectors of letters alone, the same on every machine."""
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    for title, text in NOTES.items():
        memory.save(text, title=title, kind="fix")
    for number in range(20):
        memory.save(f"Compost heap {number * 7}.", title=f"Garden {number}", kind="fix")
    return memory


def test_words_alone_answer_until_there_are_vectors(filled: Memory) -> None:
    found = filled.recall("telephone on duty")
    assert titles(found) == ["Paging"]
    assert (found.embedder, found.model) == ("", "")
    assert filled.recall("telephony", profile="deep").results == ()


def test_vectors_from_earlier_are_not_looked_up_where_no_embedder_can_ask_them() -> None:
    assert not Meaning(Vectors(lambda: True, pytest.fail, lambda: ())).possible


def test_a_recall_says_whose_vectors_took_part(filled: Memory) -> None:
    filled.embed()
    found = filled.recall("telephone on duty")
    assert titles(found)[0] == "Paging"
    assert found.embedder == "stub"
    assert found.model


def test_what_shares_no_word_is_found_by_its_vector(filled: Memory) -> None:
    filled.embed()
    found = filled.recall("telephony", profile="deep", explain=True)
    assert titles(found)[0] == "Paging"
    assert found.results[0].reasons is not None
    channels = {part.channel for part in found.results[0].reasons.parts if part.score}
    assert {"meaning", "surroundings"} <= channels
    assert "text" not in channels
    assert found.explanation is not None
    assert "similarity" in found.explanation.signals


def test_a_prompt_that_shares_no_word_is_answered_where_a_vector_is_beyond_foreign_ones(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    memory.save("Telephones", title="Telephones", kind="fix")
    for number in range(300):
        memory.save(f"Compost heap {number * 7}.", title=f"Garden {number}", kind="fix")
    memory.embed()
    prompt = "telephonestelephones"
    found = memory.recall(prompt, explain=True)
    assert found.explanation is not None
    assert found.explanation.signals["own"] == 0
    assert found.explanation.signals["similarity"] > 0.2
    assert titles(found) == ["Telephones"]
    foreign_as_near = {"usual": 0.5, "high": 1.0, "threshold": THRESHOLD}
    store_of(memory).index.put_figures(silence_key(found.model), foreign_as_near)
    assert titles(memory.recall(prompt)) == []


def test_vectors_do_not_make_a_prompt_about_nothing_relevant(filled: Memory) -> None:
    filled.embed()
    found = filled.recall("Which vineyard near Zaragoza did Marguerite visit?")
    assert (found.results, found.rejected, found.embedder) == ((), True, "stub")


def test_the_vector_of_what_a_file_said_before_finds_nothing(filled: Memory, vault: Path) -> None:
    filled.embed()
    (note,) = vault.rglob("paging.md")
    put(vault, str(note.relative_to(vault)), note.read_text().replace("telephone", "umbrella"))
    found = filled.recall("telephone telephone telephone", profile="deep")
    assert all("telephone" not in one.text for one in found.results)
    assert titles(filled.recall("umbrellas", profile="deep"))[0] == "Paging"


def test_what_is_saved_later_gets_its_vector_at_the_next_recall(filled: Memory) -> None:
    filled.embed()
    filled.save("The archive has a dumbwaiter.", title="Archive", kind="fix")
    assert titles(filled.recall("dumbwaitering", profile="deep"))[0] == "Archive"


def test_a_model_that_lacks_too_many_vectors_does_not_take_part_and_is_told_of(
    filled: Memory,
) -> None:
    filled.embed()
    for number in range(80):
        filled.save(f"The crane {number}.", title=f"Crane {number}", kind="fix")
    found = filled.recall("telephone on duty", scan=False, explain=True)
    assert titles(found) == ["Paging"]
    assert found.embedder == ""
    assert found.explanation is not None
    (lost,) = found.explanation.lost
    assert lost.startswith("stub: ")
    assert "engrain jobs embed" in lost


def test_a_link_that_is_down_leaves_its_place_to_the_next(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.embed()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "api,stub")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_MODEL", "any")
    found = filled.recall("telephony", profile="deep", explain=True)
    assert titles(found)[0] == "Paging"
    assert found.embedder == "stub"
    assert found.explanation is not None
    (lost,) = found.explanation.lost
    assert lost.startswith("api: ")


def test_without_an_embedder_words_answer(filled: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    filled.embed()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    found = filled.recall("telephone on duty")
    assert (titles(found), found.embedder, found.degraded) == (["Paging"], "", None)


def test_an_embedder_there_is_none_of_is_refused_by_name(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled.embed()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "oracle")
    with pytest.raises(ConfigError, match="oracle"):
        filled.recall("telephone")


def test_a_profile_without_vectors_asks_no_embedder(filled: Memory) -> None:
    filled.embed()
    profile = replace(PROFILES["deep"], weights={"text": 1.0})
    assert filled.recall("telephone", profile=profile).embedder == ""


# A process that answers once


def recall_cold(folder: Path, query: str) -> Recall:
    with open_memory(
        folder / "vault", state_dir=folder / "state", clock=FakeClock(), cold=True
    ) as cold:
        return cold.recall(query, profile="deep", scan=False, explain=True)


@pytest.mark.parametrize("chain", ["static", "stub,static", "api,local,static,stub"])
def test_a_cold_process_asks_token_vectors_and_no_model(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: str
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "static,stub")
    filled.embed()
    filled.close()

    def refuse(request: Request) -> Reply:
        raise AssertionError("a cold process asked a server")

    with serve(refuse) as server:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", chain)
        monkeypatch.setenv("ENGRAIN_EMBEDDER_URL", server.url + "/v1")
        monkeypatch.setenv("ENGRAIN_EMBEDDER_MODEL", "any")
        found = recall_cold(tmp_path, "telephony")
        assert server.requests == []
    assert found.embedder == "static"
    assert found.explanation is not None
    assert not found.explanation.lost


@pytest.mark.parametrize("chain", ["auto", "none", "stub", "api", "local", "local,stub"])
def test_a_cold_process_without_token_vectors_answers_by_words(
    filled: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chain: str
) -> None:
    filled.embed()
    filled.close()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", chain)
    found = recall_cold(tmp_path, "telephone on duty")
    assert (titles(found), found.embedder, found.degraded) == (["Paging"], "", None)
    assert found.explanation is not None
    assert not found.explanation.lost


# The keys of vectors


def make_passage(key: int, before: int | None, behind: int | None, *, length: int = 80) -> Found:
    return Found(1, 1, 1, 1, key, 0, length, "", length, None, before, None, behind)


KEY = st.integers(-(2**63), 2**63 - 1)


@given(KEY, KEY, KEY)
def test_the_vector_of_a_passage_with_its_neighbours_is_another_when_one_of_them_is(
    key: int, before: int, other: int
) -> None:
    with_one = context_key(make_passage(key, before, None))
    assert with_one != own_key(key)
    assert with_one != context_key(make_passage(key, None, before))
    assert (with_one == context_key(make_passage(key, other, None))) == (before == other)
    assert own_key(key)[:8] == with_one[:8]


@given(KEY, KEY)
def test_a_passage_that_is_long_or_alone_has_one_vector(key: int, other: int) -> None:
    assert context_key(make_passage(key, None, None)) == own_key(key)
    assert context_key(make_passage(key, other, other, length=SHORT)) == own_key(key)


# A named embedder that can't run


@pytest.mark.parametrize("embedded", [False, True])
@pytest.mark.parametrize("profile", ["prompt", "task", "tiered"])
def test_a_named_embedder_that_cannot_run_is_an_error_with_a_remedy(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, embedded: bool, profile: str
) -> None:
    if embedded:
        filled.embed()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "local")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_FOLDER", str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match="embedder is local, which can't run: local: ") as told:
        filled.recall("telephone on duty", profile=profile)
    assert "auto" in str(told.value.remedy)
    with pytest.raises(ConfigError):
        filled.embed()
    (finding,) = (one for one in filled.diagnose() if one.subject == "embedder")
    assert (finding.level, "can't run" in finding.message) == ("warning", True)
    assert finding.remedy


def test_who_has_a_deadline_gets_an_answer_by_words_though_the_named_embedder_cannot_run(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "local")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_FOLDER", str(tmp_path / "nowhere"))
    found = filled.recall("telephone on duty", deadline=time.monotonic() + 60)
    assert (titles(found), found.embedder) == (["Paging"], "")


def test_one_of_several_named_embedders_is_enough(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    filled.embed()
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "local,stub")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_FOLDER", str(tmp_path / "nowhere"))
    assert filled.recall("telephone on duty", profile="deep").embedder == "stub"


def test_token_vectors_order_what_words_find_and_answer_nothing_by_themselves(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
    memory.save("Our car stopped on the road.", title="Car", kind="fix")
    for number in range(20):
        memory.save(f"Compost heap {number * 7}.", title=f"Garden {number}", kind="fix")
    memory.embed()
    memory.jobs.run(["calibrate"])
    found = memory.recall("vehicle breakdown", explain=True)
    assert (titles(found), found.embedder) == ([], "static")
    assert found.explanation is not None
    assert found.explanation.signals["similarity"] == 0
    assert titles(memory.recall("vehicle breakdown", profile="deep"))[0] == "Car"


def test_a_hook_asks_no_token_vectors_where_words_are_not_enough(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
    memory.save("Our car stopped on the road.", title="Car", kind="fix")
    memory.embed()
    until = time.monotonic() + 60
    asked = [
        memory.recall(prompt, scan=False, deadline=until).embedder
        for prompt in ("vehicle breakdown", "the car stopped on the road")
    ]
    assert asked == ["", "static"]


def test_vectors_of_english_words_take_no_part_in_a_question_in_another_language(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
    filled.embed()
    assert filled.recall("telephone on duty").embedder == "static"
    found = filled.recall("Wer hat das Telefon und ist heute on duty?", explain=True)
    assert found.embedder == ""
    assert found.explanation is not None
    assert any("another language" in reason for reason in found.explanation.lost)
