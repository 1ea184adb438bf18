"""OpenCode's sessions, as our plugin writes their messages."""

from __future__ import annotations

import json
from typing import Any

from unit.learn.transcripts.reading import find_one

AT = 1_796_024_384_789  # milliseconds


def message(number: int, role: str, *parts: dict[str, Any], error: bool = False) -> dict[str, Any]:
    info = {"id": f"msg_{number}", "sessionID": "ses_1", "role": role, "error": error}
    times = {"time": {"created": AT + 1000 * number}, "tokens": {"input": 10, "output": 5}}
    return {"host": "opencode", "cwd": "/work/shop", "info": {**info, **times}, "parts": parts}


def run(number: int, command: str, output: str, code: int) -> dict[str, Any]:
    state = {"status": "completed", "input": {"command": command}, "output": output, "exit": code}
    return {"type": "tool", "callID": f"call_{number}", "tool": "bash", "state": state}


def read(*lines: dict[str, Any]) -> dict[str, Any]:
    return find_one("".join(json.dumps(one) + "\n" for one in lines).encode())


ASKED = message(1, "user", {"type": "text", "text": "Mend the dunning test"})


def test_a_session_of_opencode_is_an_episode() -> None:
    document = read(
        ASKED,
        message(2, "assistant", run(2, "pytest", "ValueError: no", 2)),
        message(3, "assistant", run(3, "touch db", "", 0), run(4, "pytest", "1 passed", 0)),
        message(5, "assistant", {"type": "text", "text": "Done."}),
    )
    assert (document["agent"], document["task_id"]) == ("opencode", "ses_1")
    assert document["context"]["goal"] == "Mend the dunning test"
    assert document["timestamp"].startswith("2026-11-30T07:39:4")
    assert [one["result"] for one in document["action_log"]] == ["fail", "ok", "pass"]
    (error,) = document["errors_encountered"]
    assert (error["type"], error["message"]) == ("ValueError", "no")
    assert "touch db" in error["resolution"]
    assert document["outcome"] == "success"


def test_what_the_person_broke_off_is_interrupted() -> None:
    broken = {**run(2, "pytest", "", 0), "state": {"status": "error", "error": "Aborted"}}
    document = read(ASKED, message(2, "assistant", broken, error=True))
    assert document["outcome"] == "interrupted"


def test_a_text_that_reads_like_the_exit_code_of_another_host_is_only_text() -> None:
    printed = run(2, "cat notes.txt", "Exit Code: 3\nthe notes", 0)
    document = read(ASKED, message(2, "assistant", printed))
    assert [one["result"] for one in document["action_log"]] == ["ok"]
