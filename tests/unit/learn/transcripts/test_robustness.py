"""Whatever stands in a transcript, it is read or refused, and what comes of it can be kept."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from engrain.model.errors import MalformedError
from engrain.model.experience.reading import read_episode
from support.transcripts import ClaudeCode, Codex, fix_the_port
from unit.learn.transcripts.reading import find

JUNK: list[Any] = [
    None, 5, -1.5, True, "x", "", [], {}, [[]], [{}], {"a": [1]}, "\x00\ud800", 1e308, 10**400,
    ["a", {"text": 5}], float("nan"),
]  # fmt: skip


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a value that something else may stand at."""
    if place:
        yield place
    if isinstance(value, list):
        value = dict(enumerate(value))
    for key, part in value.items() if isinstance(value, dict) else ():
        yield from places(part, (*place, key))


def spoil(line: Any, dice: random.Random) -> Any:
    """The line with junk at one place."""
    spoilt = copy.deepcopy(line)
    *way, last = dice.choice(list(places(spoilt)))
    at = spoilt
    for key in way:
        at = at[key]
    at[last] = copy.deepcopy(dice.choice(JUNK))
    return spoilt


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("host", [ClaudeCode, Codex])
def test_no_junk_in_a_line_stops_the_reading(host: type[ClaudeCode | Codex], seed: int) -> None:
    session = host()
    fix_the_port(session)
    if isinstance(session, ClaudeCode):
        session.call("Read", [{"type": "image"}], file_path="a.png").interrupt()
    else:
        session.patch("*** Add File: x\n+y").event(type="token_count", info={"a": 1})
        session.item(type="local_shell_call", call_id="a", action={"command": ["ls"]})
    lines = [json.loads(line) for line in session.lines]
    dice = random.Random(seed)
    episodes = 0
    for _ in range(60):
        mixed = [spoil(line, dice) if dice.random() < 0.3 else line for line in lines]
        raw = b"".join(json.dumps(line).encode() + b"\n" for line in mixed)
        try:
            found = find(raw)
        except MalformedError:
            continue
        for one in found:
            read_episode(one.document(), 0.0)
            episodes += 1
    assert episodes > 30


def test_a_last_line_that_is_being_written_loses_no_other() -> None:
    raw = fix_the_port(ClaudeCode())
    whole = find(raw)[0].document()["action_log"]
    last = len(raw) - raw[:-1].rindex(b"\n") - 1
    assert last > 200
    for cut in range(1, last, 7):
        (found,) = find(raw[:-cut])
        assert found.document()["action_log"] == whole
