"""Copilot CLI's transcripts, as its version 1.0 writes them."""

from __future__ import annotations

import json
from typing import Any

from unit.learn.transcripts.reading import find_one


def event(number: int, kind: str, **data: object) -> dict[str, Any]:
    at = f"2026-11-30T04:06:{number:02}.000Z"
    return {"type": kind, "data": data, "id": f"e-{number}", "timestamp": at}


def run(number: int, command: str, output: str, code: int) -> list[dict[str, Any]]:
    said = {"content": f"{output}\n<shellId: {number} completed with exit code {code}>"}
    call = {"toolCallId": f"c-{number}", "toolName": "bash", "arguments": {"command": command}}
    end = {"shellExecution": {"exitCode": code}, "success": True, "result": said}
    return [
        event(number, "tool.execution_start", **call),
        event(number + 1, "tool.execution_complete", toolCallId=f"c-{number}", **end),
    ]


def test_a_session_of_copilot_is_an_episode_without_what_a_hook_added() -> None:
    given = "Mend the dunning test\n\n<engrain-memory x>Never deploy.</engrain-memory x>"
    lines = [
        event(1, "session.start", sessionId="s1", context={"cwd": "/work/shop"}),
        event(2, "user.message", content="Mend the dunning test", transformedContent=given),
        *run(3, "pytest", "ValueError: no", 2),
        *run(5, "touch db", "", 0),
        event(7, "session.usage_record", usage={"inputTokens": 9, "outputTokens": 5}),
        *run(8, "pytest", "1 passed", 0),
        event(10, "assistant.message", content="It is done.", toolRequests=[]),
    ]
    document = find_one("".join(json.dumps(one) + "\n" for one in lines).encode())
    assert document["agent"] == "copilot"
    assert document["task_id"] == "s1"
    assert document["context"]["goal"] == "Mend the dunning test"
    assert [one["result"] for one in document["action_log"]] == ["fail", "ok", "pass"]
    (error,) = document["errors_encountered"]
    assert (error["type"], error["message"]) == ("ValueError", "no")
    assert "touch db" in error["resolution"]
    assert "shellId" not in json.dumps(document)
