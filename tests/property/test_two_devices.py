"""Two devices that write the same structured files, and a synchroniser between them: whatever was
acknowledged is in a file that counts in the end, never in a conflict copy alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engrain.model.facts.fact import FactDraft
from support.two_devices import Pair

ENTITIES = ("Acme", "Bolt")


def play(pair: Pair, seed: int, steps: int) -> set[str]:
    """Have both devices write at random, in step now and then; the texts that are to be there."""
    draw = random.Random(seed)
    kept: set[str] = set()
    for step in range(steps):
        memory = draw.choice((pair.left, pair.right))
        text = f"Statement {seed}-{step} holds."
        pair.clock.at += draw.randint(-30, 90)  # clocks are not in step either
        match draw.randrange(7):
            case 0 | 1:
                entity = draw.choice(ENTITIES)
                (outcome,) = memory.facts.add_all([FactDraft(entity, text, entity_type="company")])
                assert outcome.outcome == "created", outcome.outcome
            case 2:
                memory.work.today(text)
            case 3:
                memory.handoffs.save_ledger("ann", files=[text])
            case 4:
                memory.within("shop").work.set_feature(text)
            case 5:
                memory.within("shop").work.add_progress(text)
            case _:
                # The history may come later than the files it is of.
                late = draw.random() < 0.3
                pair.sync(keep=draw.choice(("left", "right")), history=not late)
                if draw.random() < 0.7:
                    draw.choice((pair.left, pair.right)).scan()
                continue
        kept.add(text)
    return kept


@pytest.mark.parametrize(
    ("seed", "steps"),
    [
        *((seed, 40) for seed in range(4)),
        *(pytest.param(seed, 200, marks=pytest.mark.long) for seed in range(10, 20)),
    ],
)
def test_no_acknowledged_text_lives_in_a_copy_alone(tmp_path: Path, seed: int, steps: int) -> None:
    pair = Pair(tmp_path)
    kept = play(pair, seed, steps)
    pair.sync()
    pair.settle()
    assert pair.copies() == []
    files = pair.notes("left")
    assert files == pair.notes("right")
    whole = b"\n".join(files.values()).decode()
    assert [text for text in sorted(kept) if text not in whole] == []
    reports = [*pair.left.trust.survey().chains, *pair.right.trust.survey().chains]
    assert {report.wrong for report in reports} == {None}
    assert "external" not in {change.op for change in pair.left.history()}
