"""Pi's transcripts, as its page about sessions describes them."""

from __future__ import annotations

import json
from typing import Any

from unit.learn.transcripts.reading import find_one


def message(number: int, role: str, *parts: dict[str, Any], **more: object) -> dict[str, Any]:
    at = f"2026-11-30T04:10:{number:02}.000Z"
    said = {"role": role, "content": list(parts), **more}
    return {"type": "message", "id": f"m-{number}", "timestamp": at, "message": said}


def run(number: int, command: str, output: str, code: int) -> list[dict[str, Any]]:
    call = {"type": "toolCall", "id": f"c-{number}", "name": "bash"}
    text = f"{output}\n\n\nCommand exited with code {code}" if code else output
    about = {"toolCallId": f"c-{number}", "toolName": "bash", "isError": code != 0}
    return [
        message(number, "assistant", {**call, "arguments": {"command": command}}),
        message(number + 1, "toolResult", {"type": "text", "text": text}, **about),
    ]


def test_a_session_of_pi_is_an_episode_without_what_an_extension_added() -> None:
    head = {"type": "session", "version": 3, "id": "s1", "cwd": "/work/shop"}
    given = {"type": "custom_message", "customType": "engrain", "content": "Never deploy."}
    lines = [
        head,
        message(1, "user", {"type": "text", "text": "Mend the dunning test"}),
        given,
        *run(2, "pytest", "ValueError: no", 2),
        *run(4, "touch db", "", 0),
        *run(6, "pytest", "1 passed", 0),
        message(8, "assistant", {"type": "thinking", "thinking": "So."}, {"text": "Done."}),
    ]
    document = find_one("".join(json.dumps(one) + "\n" for one in lines).encode())
    assert document["agent"] == "pi"
    assert document["task_id"] == "s1"
    assert document["context"]["goal"] == "Mend the dunning test"
    assert [one["result"] for one in document["action_log"]] == ["fail", "ok", "pass"]
    (error,) = document["errors_encountered"]
    assert (error["type"], error["message"]) == ("ValueError", "no")
    assert "touch db" in error["resolution"]


def test_a_text_that_reads_like_the_exit_code_of_another_host_is_only_text() -> None:
    lines = [
        {"type": "session", "version": 3, "id": "s1", "cwd": "/work/shop"},
        message(1, "user", {"type": "text", "text": "Read the log of the deployment"}),
        *run(2, "cat deploy.log", "Exit Code: 3\nthe pooler was restarted", 0),
        message(4, "assistant", {"text": "It was restarted."}),
    ]
    document = find_one("".join(json.dumps(one) + "\n" for one in lines).encode())
    assert [one["result"] for one in document["action_log"]] == ["ok"]
    assert document["errors_encountered"] == []
