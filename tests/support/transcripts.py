"""Transcripts as the hosts write them, line by line.

Of Claude Code they follow real files; none of Codex is among the data, so its lines are made after
the types that openai/codex declares for its rollout files (RolloutLine, ResponseItem, EventMsg).
"""

from __future__ import annotations

import json
from typing import Any

from engrain.language.text.instants import format_instant

START = 1_788_000_000.0  # 2026-08-29T10:40:00Z
CWD = "/home/ada/shop"


class _Lines:
    """A session's lines; one thing happens `step` seconds after the other."""

    def __init__(self, session: str, *, cwd: str = CWD, at: float = START, step: float = 2) -> None:
        self.session = session
        self.cwd = cwd
        self.at = at
        self.step = step
        self.calls = 0
        self.lines: list[bytes] = []

    def add(self, line: dict[str, Any]) -> None:
        """One line, as an object."""
        self.lines.append(json.dumps(line).encode() + b"\n")

    def tick(self) -> str:
        """The next moment."""
        self.at += self.step
        return format_instant(self.at).replace("Z", ".000Z")

    @property
    def raw(self) -> bytes:
        return b"".join(self.lines)


class ClaudeCode(_Lines):
    """A session of Claude Code, or of a sub-agent of it."""

    def __init__(self, session: str = "0ccf1a04", *, agent: str = "", **options: Any) -> None:
        super().__init__(session, **options)
        self.agent = agent

    def _line(self, kind: str, content: object, **more: Any) -> None:
        self.add(
            {
                "parentUuid": None,
                "isSidechain": bool(self.agent),
                **({"agentId": self.agent} if self.agent else {}),
                "cwd": self.cwd,
                "sessionId": self.session,
                "version": "2.1.15",
                "type": kind,
                "message": {"role": kind, "content": content, **more.pop("message", {})},
                "uuid": f"{self.session}-{len(self.lines)}",
                "timestamp": self.tick(),
                **more,
            }
        )

    def request(self, text: object, **more: Any) -> ClaudeCode:
        self._line("user", text, **more)
        return self

    def said(self, text: str, **more: Any) -> ClaudeCode:
        self._line("assistant", [{"type": "text", "text": text}], **more)
        return self

    def begin(self, tool: str, **arguments: Any) -> str:
        """A call whose result is still to come; its id."""
        self.calls += 1
        id_ = f"toolu_{self.session}_{self.calls}"
        self._line("assistant", [{"type": "tool_use", "id": id_, "name": tool, "input": arguments}])
        return id_

    def end(self, id_: str, content: object = "", *, failed: bool = False) -> ClaudeCode:
        part = {"type": "tool_result", "tool_use_id": id_, "content": content, "is_error": failed}
        self._line("user", [part])
        return self

    def call(
        self, tool: str, result: object = "", *, failed: bool = False, **arguments: Any
    ) -> ClaudeCode:
        return self.end(self.begin(tool, **arguments), result, failed=failed)

    def run(self, command: str, output: str = "", code: int = 0) -> ClaudeCode:
        """A command in the shell, as Claude Code tells how it ended."""
        text = f"Exit code {code}\n{output}" if code else output
        return self.call("Bash", text, failed=code != 0, command=command)

    def edit(self, path: str, old: str, new: str) -> ClaudeCode:
        return self.call(
            "Edit",
            f"The file {path} has been updated.",
            file_path=f"{self.cwd}/{path}",
            old_string=old,
            new_string=new,
        )

    def interrupt(self) -> ClaudeCode:
        return self.request([{"type": "text", "text": "[Request interrupted by user]"}])


class Codex(_Lines):
    """A session of Codex."""

    def __init__(
        self, session: str = "019a2d7a", *, source: object = "cli", **options: Any
    ) -> None:
        super().__init__(session, **options)
        now = self.tick()
        meta = {"id": session, "timestamp": now, "cwd": self.cwd, "cli_version": "0.98.0"}
        self.add({"timestamp": now, "type": "session_meta", "payload": {**meta, "source": source}})
        context = f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n</environment_context>"
        self.message("user", context)

    def item(self, **payload: Any) -> Codex:
        self.add({"timestamp": self.tick(), "type": "response_item", "payload": payload})
        return self

    def event(self, **payload: Any) -> Codex:
        self.add({"timestamp": self.tick(), "type": "event_msg", "payload": payload})
        return self

    def message(self, role: str, text: str) -> Codex:
        kind = "input_text" if role == "user" else "output_text"
        return self.item(type="message", role=role, content=[{"type": kind, "text": text}])

    def request(self, text: str) -> Codex:
        self.message("user", text)
        return self.event(type="user_message", message=text, kind="plain")

    def said(self, text: str) -> Codex:
        self.event(type="agent_message", message=text)
        return self.message("assistant", text)

    def call(self, tool: str, result: str = "", **arguments: Any) -> Codex:
        self.calls += 1
        id_ = f"call_{self.session}_{self.calls}"
        self.item(type="function_call", name=tool, arguments=json.dumps(arguments), call_id=id_)
        return self.item(type="function_call_output", call_id=id_, output=result)

    def run(self, command: str, output: str = "", code: int = 0) -> Codex:
        """A command in the shell, as Codex's `exec_command` tells how it ended."""
        told = (
            f"Chunk ID: 5f0c1e\nWall time: 0.8123 seconds\nProcess exited with code {code}\n"
            f"Original token count: 60\nOutput:\n{output}"
        )
        return self.call("exec_command", told, cmd=command, workdir=self.cwd)

    def patch(self, patch: str, output: str = "", code: int = 0) -> Codex:
        self.calls += 1
        id_ = f"call_{self.session}_{self.calls}"
        text = f"*** Begin Patch\n{patch}\n*** End Patch\n"
        self.item(type="custom_tool_call", name="apply_patch", input=text, call_id=id_)
        told = {"output": output or "Success.", "metadata": {"exit_code": code}}
        return self.item(type="custom_tool_call_output", call_id=id_, output=json.dumps(told))

    def edit(self, path: str, old: str, new: str) -> Codex:
        gone, came = (
            "\n".join(f"{sign}{line}" for line in text.splitlines())
            for sign, text in (("-", old), ("+", new))
        )
        return self.patch(f"*** Update File: {path}\n@@\n{gone}\n{came}")


class Gemini(_Lines):
    """A session of Gemini CLI, as its version 0.61 writes it."""

    def __init__(self, session: str = "98b29050", **options: Any) -> None:
        super().__init__(session, **options)
        head = {"sessionId": session, "projectHash": "59e4", "startTime": self.tick()}
        self.add({**head, "kind": "main"})
        where = f"- **Workspace Directories:**\n  - {self.cwd}\n"
        context = f"<session_context>\nThis is the Gemini CLI.\n{where}</session_context>"
        self.add({"$set": {"messages": [self._message("user", [{"text": context}])]}})

    def _message(self, kind: str, content: object, **more: Any) -> dict[str, Any]:
        id_ = f"{self.session}-{len(self.lines)}"
        return {"id": id_, "timestamp": self.tick(), "type": kind, "content": content, **more}

    def request(self, text: str) -> Gemini:
        self.add(self._message("user", [{"text": text}]))
        return self

    def said(self, text: str) -> Gemini:
        self.add(self._message("gemini", text, tokens={"input": 10, "output": 5, "cached": 2}))
        return self

    def call(self, tool: str, output: str = "", status: str = "success", **args: Any) -> Gemini:
        """A call: the message is written before it, and again with what it gave."""
        self.calls += 1
        message = self._message("gemini", "", tokens={"input": 10, "output": 5, "cached": 2})
        self.add(message)
        id_ = f"{tool}_{self.session}_{self.calls}"
        key = "error" if status == "error" else "output"
        answer = {"functionResponse": {"id": id_, "name": tool, "response": {key: output}}}
        call = {"id": id_, "name": tool, "args": args, "status": status, "result": [answer]}
        self.add({**message, "toolCalls": [{**call, "timestamp": self.tick()}]})
        self.add(self._message("user", [answer]))
        return self

    def run(self, command: str, output: str = "", code: int = 0) -> Gemini:
        """A command in the shell, as `run_shell_command` tells how it ended."""
        end = f"Exit Code: {code}\n" if code else ""
        told = f"Output: {output or '(empty)'}\n{end}Process Group PGID: 3805\n"
        wrapped = f"<untrusted_context>\n{told}</untrusted_context>"
        return self.call("run_shell_command", wrapped, command=command)

    def edit(self, path: str, old: str, new: str) -> Gemini:
        file = f"{self.cwd}/{path}"
        return self.call("replace", "Done.", file_path=file, old_string=old, new_string=new)


FAILING_TEST = """\
=================================== FAILURES ===================================
___________________________________ test_url ___________________________________

    def test_url():
>       assert url("shop", 80) == "http://shop:80"

tests/test_server.py:4:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _

    def url(host, port):
>       return "http://" + host + ":" + port
E       TypeError: can only concatenate str (not "int") to str

src/server.py:2: TypeError
=========================== short test summary info ============================
FAILED tests/test_server.py::test_url - TypeError: can only concatenate str (...
1 failed in 0.12s
"""
PASSING_TEST = ".                                              [100%]\n1 passed in 0.03s\n"


def fix_the_port(host: ClaudeCode | Codex | Gemini, goal: str = "Add the port to the url") -> bytes:
    """A test that fails, the edit that mends it, and the test that passes, in a host's lines."""
    host.request(goal)
    host.run(
        "cat src/server.py", 'def url(host, port):\n    return "http://" + host + ":" + port\n'
    )
    host.run("pytest -q tests/test_server.py", FAILING_TEST, 1)
    host.said("The port is an int, so it has to be turned into text first.")
    host.edit(
        "src/server.py",
        '    return "http://" + host + ":" + port',
        '    return "http://" + host + ":" + str(port)',
    )
    host.run("pytest -q tests/test_server.py", PASSING_TEST)
    host.said("The test passes now.")
    return host.raw
