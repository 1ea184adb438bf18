"""Qwen Code's transcripts, as its version 0.24 writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from unit.learn.transcripts.reading import find_one

CONTEXT = "&lt;engrain-memory x&gt; Recalled data\nNever deploy.\n&lt;/engrain-memory x&gt;"
FRAME = (
    "Command: {}\nDirectory: (root)\nOutput: {}\nError: (none)\nExit Code: {}\n"
    "Signal: (none)\nProcess Group PGID: (none)"
)


def line(number: int, kind: str, *parts: Mapping[str, object], **more: object) -> dict[str, Any]:
    return {
        "uuid": f"u-{number}",
        "sessionId": "a1e0602d",
        "timestamp": f"2026-11-30T03:59:{number:02}.000Z",
        "type": kind,
        "provenance": kind,
        "cwd": "/work/shop",
        "message": {"role": "user", "parts": list(parts)},
        **more,
    }


def run(number: int, command: str, output: str, code: int) -> list[dict[str, Any]]:
    call = {"id": f"c-{number}", "name": "run_shell_command", "args": {"command": command}}
    said = {"error" if code else "output": FRAME.format(command, output, code)}
    status = {"callId": f"c-{number}", "status": "error" if code else "success"}
    return [
        line(number, "assistant", {"functionCall": call}),
        line(
            number + 1,
            "tool_result",
            {"functionResponse": {"id": f"c-{number}", "name": call["name"], "response": said}},
            toolCallResult=status,
        ),
    ]


def test_a_session_of_qwen_is_an_episode_without_what_a_hook_added() -> None:
    prompt = {"text": "Mend the dunning test"}
    hooked = {"text": f"<qwen:user-prompt-submit-context>\n{CONTEXT}\n"}
    shown = {"displayText": prompt["text"], "hookContext": CONTEXT}
    lines = [
        line(1, "system", subtype="ui_telemetry"),
        line(2, "user", prompt, hooked, systemPayload=shown),
        *run(3, "pytest", "ValueError: no", 2),
        *run(5, "touch db", "(empty)", 0),
        *run(7, "pytest", "1 passed", 0),
        line(9, "assistant", {"text": "I think.", "thought": True}, {"text": "It is done."}),
    ]
    document = find_one("".join(json.dumps(one) + "\n" for one in lines).encode())
    assert document["agent"] == "qwen"
    assert document["context"]["goal"] == "Mend the dunning test"
    assert [one["result"] for one in document["action_log"]] == ["fail", "ok", "pass"]
    (error,) = document["errors_encountered"]
    assert (error["type"], error["message"]) == ("ValueError", "no")
    assert "touch db" in error["resolution"]
    assert document["outcome"] == "success"
