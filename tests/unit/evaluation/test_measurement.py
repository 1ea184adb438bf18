from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from engrain import Memory
from engrain.evaluation.measurement import ENTRY, PLAIN, choose_profile, measure_vault
from engrain.evaluation.question_set import GoldQuestion
from engrain.evaluation.summary import MeasurementReport, collect_rows

_Opener = Callable[..., AbstractContextManager[Memory]]


def test_a_vault_that_is_there_is_asked_and_stays_as_it_is(
    open_temporary: _Opener, tmp_path: Path
) -> None:
    with open_temporary() as memory:
        saved = memory.save("Use advisory locks for the nightly job.", title="Nightly lock")
        memory.save("Rye needs caraway.", title="Bread")
        memory.scan()
        before = _read_all(tmp_path / "temporary-0" / "vault")
        questions = [
            GoldQuestion("1", "which lock does the nightly job take", frozenset({saved.id})),
            GoldQuestion("2", "tides in Brest", frozenset()),
        ]
        measured = measure_vault(memory, questions, choose_profile(None))
        assert _read_all(tmp_path / "temporary-0" / "vault") == before
    (ranking,) = measured.rankings[ENTRY]
    assert ranking.answer.ids[0] == saved.id
    assert [(each.question, each.own) for each in measured.estimates[PLAIN]] == [
        ("1", True),
        ("2", False),
    ]


def test_rows_tell_for_each_question_whether_silence_was_right(open_temporary: _Opener) -> None:
    with open_temporary() as memory:
        saved = memory.save("Use advisory locks for the nightly job.", title="Nightly lock")
        questions = [
            GoldQuestion("1", "advisory locks for the nightly job", frozenset({saved.id})),
            GoldQuestion("2", "zzyzx", frozenset()),
        ]
        rows = collect_rows(
            MeasurementReport("own", measure_vault(memory, questions, choose_profile(None)))
        )
    assert rows[ENTRY]["1"]["hit@1"] == 1
    assert rows[f"foreign {PLAIN}"] == {"2": {"silenced": 1.0}}
    assert set(rows[f"own {PLAIN}"]) == {"1"}


def _read_all(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
