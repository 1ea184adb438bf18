"""The moments a tool fails and a file is touched: a running bridge answers, nobody else."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

import pytest

from engrain.language.text.tokens import estimate_tokens
from support.hosts import read_answer
from unit.adapters.hooks.blocks import titles
from unit.adapters.hooks.running import Desk, listening

CONFLICT = "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree"
FIX = "npm's ERESOLVE comes from react-select"
PATH_FIX = "Totals are in cents"


@pytest.fixture
def known(desk: Desk) -> Desk:
    """A vault that knows a failure, a file, and a preference about both."""
    desk.save(FIX, "react-select wants React 18. `npm ci` follows the lock.", kind="fix")
    desk.save(PATH_FIX, "`cart/total.ts` adds up cents, never euros.", kind="decision")
    desk.save("Totals elsewhere", "`billing/total.ts` adds up euros.", kind="fix")
    desk.save("Mind npm", "ERESOLVE is boring.", kind="preference")
    return desk


@pytest.fixture
def warm(known: Desk, endpoint: str) -> Iterator[Desk]:
    with listening(known, endpoint):
        yield known


def noted(desk: Desk, session: str = "s-1") -> list[str]:
    """The names of a session's events."""
    paths = desk.sessions.glob(f"**/{session}.jsonl")
    lines = [line for path in paths for line in path.read_text().splitlines()]
    return [json.loads(line)["event"] for line in lines if line]


def tell(
    desk: Desk,
    event: str,
    call: Mapping[str, object],
    host: str = "claude-code",
    session: str = "s-1",
) -> str:
    """The context that the hook of a tool brings."""
    payload = {"session_id": session, "cwd": str(desk.here), **call}
    printed = desk.hook(event, "--host", host, stdin=json.dumps(payload).encode()).raw
    return read_answer(host, event, printed).context


def fail(desk: Desk, command: str, error: str, session: str = "s-1") -> str:
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "error": error}
    return tell(desk, "tool-failed", call, session=session)


def touch(desk: Desk, path: str, session: str = "s-1") -> str:
    call = {"tool_name": "Edit", "tool_input": {"file_path": path}, "tool_response": {"ok": True}}
    return tell(desk, "tool", call, session=session)


def test_a_failure_gets_the_fix_that_knows_its_error_once(warm: Desk) -> None:
    context = fail(warm, "npm install", CONFLICT)
    assert titles(context) == [FIX]
    assert noted(warm) == ["recalled"]
    assert fail(warm, "npm install", CONFLICT) == ""
    assert titles(fail(warm, "npm install", CONFLICT, session="s-2")) == [FIX]


def test_what_a_prompt_gave_no_failure_gives_again(warm: Desk) -> None:
    assert FIX in titles(warm.ask("npm fails with ERESOLVE, why?").context)
    assert fail(warm, "npm install", CONFLICT) == ""


def test_a_failure_that_nothing_is_known_about_gets_nothing(warm: Desk) -> None:
    assert fail(warm, "cargo check", "error[E0308]: mismatched types") == ""
    assert fail(warm, "npm run lint", "33:6  error  Hook useEffect has a missing dep") == ""
    assert noted(warm) == []


def test_a_file_gets_what_names_its_path_at_its_first_touch_alone(warm: Desk) -> None:
    assert titles(touch(warm, "/srv/shop/web/cart/total.ts")) == [PATH_FIX]
    warm.save("Cents again", "`cart/total.ts` rounds half up.", kind="fix")
    assert touch(warm, "/srv/shop/web/cart/total.ts") == ""
    assert touch(warm, "/srv/shop/web/other.ts") == ""
    assert titles(touch(warm, "/srv/shop/web/cart/total.ts", session="s-2")) != []


def test_a_file_gets_the_preference_about_its_folder_and_no_failure_does(warm: Desk) -> None:
    warm.save("Maud reviews payments", "Whatever is under payments/ needs Maud.", kind="preference")
    assert fail(warm, "make", "error: payments/capture.py needs Maud") == ""
    assert titles(touch(warm, "/srv/shop/payments/capture.py")) == ["Maud reviews payments"]


def test_a_folder_that_many_entries_name_gets_none_of_them(warm: Desk) -> None:
    for number in range(4):
        warm.save(f"Fixture {number}", f"Fixture {number} goes into tests/.", kind="decision")
    assert touch(warm, "/srv/shop/tests/test_cart.py") == ""


def test_a_test_that_fails_gets_the_fix_that_names_it(warm: Desk) -> None:
    warm.save("Flaky badge", "test_badge_count needs a clock of its own.", kind="fix")
    output = "FAILED web/test_badge.py::test_badge_count - assert 3 == 2\n1 failed in 0.6s"
    assert titles(fail(warm, "pytest", output)) == ["Flaky badge"]
    assert fail(warm, "pytest", output.replace("count", "colour"), session="s-2") == ""


def test_a_success_gets_nothing(warm: Desk) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "npm install"}}
    assert tell(warm, "tool", {**call, "tool_response": {"stdout": CONFLICT}}) == ""


@pytest.mark.parametrize(
    ("host", "call"),
    [
        ("codex", {"tool_name": "Bash", "tool_input": {"command": "npm install"},
                   "tool_response": f"Exit code: 1\nOutput:\n{CONFLICT}"}),
        ("codex", {"tool_name": "Bash", "tool_input": {"command": "npm install"},
                   "tool_response": CONFLICT}),
        ("gemini", {"tool_name": "run_shell_command", "tool_input": {"command": "npm install"},
                    "tool_response": {"llmContent": f"Output: {CONFLICT}\nExit Code: 1"}}),
        ("opencode", {"tool_name": "bash", "tool_input": {"command": "npm install"},
                      "tool_response": CONFLICT, "failed": True}),
    ],
)  # fmt: skip
def test_hosts_with_one_event_for_all_calls_say_in_the_response_that_one_failed(
    warm: Desk, host: str, call: dict[str, object]
) -> None:
    assert titles(tell(warm, "tool", call, host)) == [FIX]


@pytest.mark.parametrize(
    "summary",
    ["=== 1 failed, 2 passed in 0.4s ===", "1 failed, 2 passed in 0.4s", "FAILED a.py::test_b - no",
     "Tests:       1 failed, 2 passed", "      Tests  2 failed | 4 passed (6)",
     " Test Files  1 failed | 41 passed (42)", "--- FAIL: TestVat",
     "test result: FAILED. 1 passed"],
)  # fmt: skip
def test_failed_tests_behind_a_pipe_count_as_failed(warm: Desk, summary: str) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "npm test | tail"}}
    output = {"stdout": f"{CONFLICT}\n{summary}", "stderr": ""}
    assert titles(tell(warm, "tool", {**call, "tool_response": output})) == [FIX]


def test_tests_that_pass_get_nothing(warm: Desk) -> None:
    call = {"tool_name": "Bash", "tool_input": {"command": "npm test | tail"}}
    for summary in ("0 failed, 2 passed in 0.4s", "12 passed in 1s", "it failed before: 1 failed"):
        output = {"stdout": f"{CONFLICT}\n{summary}", "stderr": ""}
        assert tell(warm, "tool", {**call, "tool_response": output}) == ""


def test_a_patch_touches_the_files_that_it_names(warm: Desk) -> None:
    patch = "*** Begin Patch\n*** Update File: web/cart/total.ts\n@@\n-a\n+b\n*** End Patch"
    call = {"tool_name": "apply_patch", "tool_input": {"command": patch}, "tool_response": "Done"}
    assert titles(tell(warm, "tool", call, "codex")) == [PATH_FIX]


def test_a_block_is_small(warm: Desk) -> None:
    assert estimate_tokens(fail(warm, "npm install", CONFLICT)) <= 80


def test_without_a_bridge_a_hook_is_silent_and_leaves_nothing(known: Desk) -> None:
    known.hook("prompt", "--host", "claude-code", stdin=b"{}")
    started = time.monotonic()
    assert fail(known, "npm install", CONFLICT) == ""
    assert time.monotonic() - started < 10
    assert not list((known.state / "spool").glob("*.json"))
    assert noted(known) == []


def start_agent(desk: Desk) -> str:
    return tell(desk, "subagent", {"agent_id": "a-1", "agent_type": "general-purpose"})


def test_a_subagent_gets_the_preferences_and_what_fits_the_prompt_of_its_session(
    warm: Desk,
) -> None:
    (warm.here / ".git").mkdir()
    asked = "why does react-select break npm ci with ERESOLVE?"
    assert FIX in titles(warm.ask(asked).context)
    for _ in range(2):
        assert {"Mind npm", FIX} <= set(titles(start_agent(warm)))
    assert FIX not in titles(warm.ask(asked).context)  # the session has it already


def test_a_subagent_gets_nothing_where_no_bridge_runs(known: Desk) -> None:
    assert start_agent(known) == ""
