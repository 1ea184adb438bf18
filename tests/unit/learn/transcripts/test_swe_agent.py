"""SWE-agent's trajectories."""

from __future__ import annotations

import json

import pytest

from engrain.model.errors import MalformedError
from support.real_data import DATA, needs
from unit.learn.transcripts.reading import find, find_one

TRAJECTORIES = "transcripts/swe-agent"


def test_a_trajectory_is_one_episode_with_the_issue_as_its_goal() -> None:
    step = {"thought": "See.", "state": '{"open_file": "n/a", "working_dir": "/repo"}'}
    whole = {
        "history": [
            {"role": "user", "content": "Solve.\nISSUE:\nIt crashes.\n\nINSTRUCTIONS:\nGo"}
        ],
        "trajectory": [
            {**step, "action": "create a.py", "observation": "[File: /repo/a.py (1 lines total)]"},
            {**step, "action": "python a.py", "observation": "Traceback (most recent call last):\n"
             '  File "/repo/a.py", line 1\nNameError: name \'x\' is not defined'},
        ],
        "info": {"exit_status": "exit_cost"},
    }  # fmt: skip
    document = find_one(json.dumps(whole, indent=2).encode())
    assert document["context"]["goal"] == "It crashes."
    assert document["agent"] == "swe-agent"
    assert document["errors_encountered"][0]["type"] == "NameError"
    assert document["timestamp"] is None
    assert document["outcome"] == "interrupted"


@needs(TRAJECTORIES)
@pytest.mark.parametrize(
    ("name", "edited"),
    [
        ("function_calling_simple", "tests/missing_colon.py"),
        ("humanevalfix-python-0", "main.py"),
        ("marshmallow-code__marshmallow-1867", "src/marshmallow/fields.py"),
    ],
)
def test_real_trajectories_end_in_success_and_name_what_they_edited(name: str, edited: str) -> None:
    document = find_one((DATA / TRAJECTORIES / f"{name}.traj").read_bytes())
    assert document["outcome"] == "success"
    assert edited in document["artifacts_produced"]


@needs(TRAJECTORIES)
def test_a_real_edit_that_was_refused_and_mended_is_an_error_with_its_resolution() -> None:
    raw = (DATA / TRAJECTORIES / "marshmallow-code__marshmallow-1867.traj").read_bytes()
    (error,) = find_one(raw)["errors_encountered"]
    assert (error["type"], error["message"]) == ("IndentationError", "unexpected indent")
    assert "proper indentation" in error["resolution"]


@pytest.mark.parametrize("raw", [b"{", b"{}", b'{"history": 5}', b"[]", b"text", b""])
def test_what_is_no_trajectory_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="not a transcript"):
        find(raw)
