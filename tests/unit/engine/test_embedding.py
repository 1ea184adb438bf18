"""Embedding: every passage gets its vectors, once, and old ones go."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from engrain import Memory, open_memory
from engrain.inference.pieces import MODEL
from engrain.model.errors import EmbeddingError, LockedError
from support.embedding_server import Reply, Request, answer_openai, as_json, serve
from support.vaults import START
from unit.engine.core.vault_files import put, titles


@pytest.fixture
def filled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    for number in range(5):
        memory.save(f"The crane {number} was greased.", title=f"Crane {number}", kind="fix")
    return memory


def added(memory: Memory) -> dict[str, int]:
    return {done.link: done.added for done in memory.embed()}


def test_every_passage_is_embedded_once(filled: Memory) -> None:
    assert added(filled) == {"stub": 5}
    assert added(filled) == {"stub": 0}


def test_only_what_is_new_is_embedded(filled: Memory) -> None:
    filled.embed()
    filled.save("The boat was painted.", title="Boat", kind="fix")
    filled.edit("crane-1", expect=filled.show("crane-1").entry.hash, text="Rusty.")
    assert added(filled) == {"stub": 2}


def test_what_another_program_wrote_is_embedded_too(filled: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/by-hand.md", "# By hand\nWritten elsewhere.\n")
    assert added(filled) == {"stub": 6}


def test_a_passage_among_other_neighbours_is_embedded_with_them(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say(turn: int) -> None:
        memory.save(
            f"Turn {turn}.", title=f"Turn {turn}", kind="memory", created=START + turn,
            source="session", ref="s",
        )  # fmt: skip

    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    say(0)
    say(2)
    assert added(memory) == {"stub": 4}, "each by itself and with the other"
    say(1)
    assert added(memory) == {"stub": 4}, "the new one twice, the others among new neighbours"


def test_progress_is_reported(filled: Memory) -> None:
    told: list[tuple[int, int | None]] = []
    filled.embed(lambda done, total: told.append((done, total)))
    assert told[-1][0] == 5


def test_a_rebuilt_index_needs_no_new_vectors(filled: Memory) -> None:
    filled.embed()
    filled.reindex()
    assert added(filled) == {"stub": 0}
    assert filled.recall("crane").embedder == "stub"


def test_vectors_that_were_deleted_are_made_anew(filled: Memory, tmp_path: Path) -> None:
    filled.embed()
    filled.close()
    shutil.rmtree(tmp_path / "state")
    assert added(filled) == {"stub": 5}


def test_a_link_that_is_missing_is_reported_with_the_reason(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "local,stub")
    monkeypatch.setenv("ENGRAIN_EMBEDDER_FOLDER", str(tmp_path / "nowhere"))
    local, stub = filled.embed()
    assert (local.link, local.added, bool(local.lost)) == ("local", 0, True)
    assert (stub.link, stub.added, stub.lost) == ("stub", 5, "")


def test_an_api_that_fails_midway_leaves_recall_as_it_was_and_what_was_made_is_kept(
    filled: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(150):
        filled.save(f"The boat {number}.", title=f"Boat {number}", kind="fix")
    healthy = False

    def answer(request: Request) -> Reply:
        if not healthy and len(server.requests) > 3:
            return as_json({"error": {"message": "gone"}}, status=400)
        return answer_openai(request)

    with serve(answer) as server:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "api")
        monkeypatch.setenv("ENGRAIN_EMBEDDER_URL", server.url + "/v1")
        monkeypatch.setenv("ENGRAIN_EMBEDDER_MODEL", "any")
        with pytest.raises(EmbeddingError):
            filled.embed()
        found = filled.recall("crane 3 greased", scan=False, explain=True)
        assert titles(found)[0] == "Crane 3"
        assert found.embedder == ""
        healthy = True
        (done,) = filled.embed()
        assert 0 < done.added < 155
        assert filled.recall("crane 3 greased").embedder == "api"


def test_one_process_at_a_time_embeds_a_vault(filled: Memory, tmp_path: Path) -> None:
    store = filled._ready()
    leave = store.models.vectors.claim()
    assert leave is not None
    with open_memory(filled.where, state_dir=tmp_path / "state") as second:
        with pytest.raises(LockedError, match="another process is embedding"):
            second.embed()
        assert second.recall("crane").results, "and nobody waits for it"
        assert store.models.vectors.index.count("engrain-stub-1") == 0
        leave()
        assert added(second) == {"stub": 5}
    assert added(filled) == {"stub": 0}


class TestServed:
    """A process that answers many calls."""

    @pytest.fixture
    def served(self, vault: Path, tmp_path: Path, filled: Memory) -> Iterator[Memory]:
        with open_memory(vault, state_dir=tmp_path / "state", served=True) as memory:
            yield memory

    def wait(self, memory: Memory, model: str, count: int) -> int:
        index = memory._ready().models.vectors.index
        until = time.monotonic() + 30
        while index.count(model) < count and time.monotonic() < until:
            time.sleep(0.01)
        return index.count(model)

    def test_a_recall_embeds_beside_itself(self, filled: Memory, served: Memory) -> None:
        filled.embed()
        for number in range(100):
            filled.save(f"The winch {number} was oiled.", title=f"Winch {number}", kind="fix")
        assert served.recall("winch 3 oiled").results
        assert self.wait(served, "engrain-stub-1", 105) == 105

    def test_many_calls_embed_nothing_twice(self, filled: Memory, served: Memory) -> None:
        filled.embed()
        for number in range(50):
            filled.save(f"The winch {number} was oiled.", title=f"Winch {number}", kind="fix")
            served.look()
        assert self.wait(served, "engrain-stub-1", 55) == 55
        served.close()
        assert filled._ready().models.vectors.claim() is not None, (
            "the right to embed is given back"
        )

    def test_words_answer_while_a_model_is_loaded(
        self, filled: Memory, served: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        may_answer = Event()

        def answer(request: Request) -> Reply:
            may_answer.wait(30)
            return answer_openai(request)

        with serve(answer) as server:
            monkeypatch.setenv("ENGRAIN_EMBEDDER", "api")
            monkeypatch.setenv("ENGRAIN_EMBEDDER_URL", server.url + "/v1")
            monkeypatch.setenv("ENGRAIN_EMBEDDER_MODEL", "any")
            may_answer.set()
            filled.embed()
            may_answer.clear()
            found = served.recall("crane 3 greased", explain=True)
            assert found.results and found.embedder == ""
            assert found.explanation and "api: the model is being loaded" in found.explanation.lost
            may_answer.set()
            until = time.monotonic() + 30
            while served.recall("crane 3 greased").embedder != "api":
                assert time.monotonic() < until
                time.sleep(0.02)


class TestByItself:
    """What the default set-up does without a command."""

    def kept(self, memory: Memory) -> int:
        return memory._ready().models.vectors.index.count(MODEL)

    @pytest.fixture
    def memory(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
        for number in range(5):
            memory.save(f"The crane {number} was greased.", title=f"Crane {number}", kind="fix")
        return memory

    def test_a_recall_gives_new_entries_token_vectors(self, memory: Memory) -> None:
        memory.recall("crane")
        assert self.kept(memory) == 5
        assert memory.recall("crane").embedder == "static"

    def test_a_hook_gives_none(self, memory: Memory) -> None:
        memory.recall("crane", scan=False, deadline=time.monotonic() + 9)
        assert not memory._ready().models.vectors.exist()

    def test_a_scan_does_as_the_hook_stop_does(self, memory: Memory) -> None:
        memory.scan()
        assert self.kept(memory) == 5

    def test_the_job_scan_does(self, memory: Memory) -> None:
        (done,) = memory.jobs.run(["scan"])
        assert done.counts["embedded"] == 5

    def test_a_process_that_wrote_many_does_when_it_ends(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "static")
        many = open_memory(
            tmp_path / "many", state_dir=tmp_path / "own", backend="device-local", create=True
        )
        for number in range(20):
            many.save(f"The boat {number}.", title=f"Boat {number}", kind="fix")
        many.close()
        assert self.kept(many) == 20
        many.close()

    def test_with_no_embedder_nothing_does(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
        memory.recall("crane")
        memory.jobs.run(["scan"])
        assert not memory._ready().models.vectors.exist()

    def test_an_api_is_not_asked_before_somebody_wants_it(
        self, memory: Memory, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with serve(answer_openai) as server:
            monkeypatch.setenv("ENGRAIN_EMBEDDER", "api")
            monkeypatch.setenv("ENGRAIN_EMBEDDER_URL", server.url + "/v1")
            monkeypatch.setenv("ENGRAIN_EMBEDDER_MODEL", "any")
            memory.jobs.run(["scan"])
            texts = [text for asked in server.requests for text in asked.texts]
        assert not any("crane" in text for text in texts)
