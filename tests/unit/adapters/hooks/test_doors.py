"""The two doors: a hook asks the bridge, opens the memory itself, or leaves its event behind."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from engrain.adapters.hooks.place import HookPlace
from engrain.adapters.hooks.standin import serve
from engrain.adapters.hosts.commands import hook_program
from engrain.resolution.endpoint import find_peer, hooks_path, read_state, run_folder
from engrain_hook import connect
from support.hosts import make_payload, read_answer
from unit.adapters.hooks.running import LIMIT, Desk, listening

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"
LATER = ("stop", "pre-compact", "session-end")
PATIENT = (
    "import engrain_hook as h;h.BUDGETS.update(dict.fromkeys(h.BUDGETS, 20.0));"
    "import engrain_hook as h;"
)


def door_one(desk: Desk, event: str, host: str = "gemini", *, patient: bool = True) -> list[str]:
    """The command of a hook as `setup` writes it; `patient` lifts its budget."""
    *program, code = hook_program(str(desk.state))
    if patient:
        code = code.replace("import engrain_hook as h;", PATIENT)
    return [*program, code, "hook", event, "--host", host]


def start(desk: Desk, event: str, *, patient: bool = True) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        door_one(desk, event, patient=patient),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=desk.here,
        env=desk.environ,
    )


def payload_of(desk: Desk, event: str, session: str = "s-1") -> bytes:
    more = {"prompt": QUESTION} if event == "prompt" else {}
    return json.dumps(make_payload("gemini", event, session, str(desk.here), **more)).encode()


def fire(desk: Desk, event: str, session: str = "s-1", *, patient: bool = True) -> str:
    """The context that a hook brings; it must leave with 0 and print whole JSON or nothing."""
    hook = start(desk, event, patient=patient)
    printed, said = hook.communicate(payload_of(desk, event, session), LIMIT)
    assert (hook.returncode, said) == (0, b"")
    return read_answer("gemini", event, printed).context


def spool(desk: Desk) -> list[Path]:
    return sorted((desk.state / "spool").glob("*.json"))


def times(desk: Desk) -> list[str]:
    path = desk.state / "hooks.times"
    return path.read_text().splitlines() if path.exists() else []


@contextmanager
def pretending(endpoint: str, answer: Callable[[socket.socket], object]) -> Iterator[None]:
    """A process at the bridge's place that reads nothing and does `answer` with each hook."""
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                answer(connection)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(endpoint)
        os.chmod(endpoint, 0o600)
        server.listen(64)
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            server.shutdown(socket.SHUT_RDWR)
            thread.join(LIMIT)
            os.unlink(endpoint)


class TestDoorOne:
    def test_is_short(self) -> None:
        import engrain_hook

        assert len(Path(engrain_hook.__file__).read_text().splitlines()) <= 120

    def test_loads_a_few_public_modules_and_nothing_of_engrain(
        self, filled: Desk, endpoint: str
    ) -> None:
        words = door_one(filled, "prompt")
        words[words.index("-c") : words.index("-c")] = ["-X", "importtime"]
        bare = subprocess.run(
            [sys.executable, "-I", "-S", "-X", "importtime", "-c", "pass"], capture_output=True
        )
        with listening(filled, endpoint):
            done = subprocess.run(
                words,
                input=payload_of(filled, "prompt"),
                capture_output=True,
                cwd=filled.here,
                env=filled.environ,
                timeout=LIMIT,
            )
        assert LOCK in read_answer("gemini", "prompt", done.stdout).context
        before, loaded = (
            set(re.findall(r"\| +([\w.]+)$", one.stderr.decode(), re.MULTILINE))
            for one in (bare, done)
        )
        added = loaded - before
        assert "engrain_hook" in added
        assert [name for name in added if name.partition(".")[0] == "engrain"] == []
        assert len(added) <= 45

    def test_brings_what_the_bridge_answers(self, filled: Desk, endpoint: str) -> None:
        with listening(filled, endpoint):
            assert LOCK in fire(filled, "prompt")
            for event in LATER:
                assert fire(filled, event) == ""
        assert spool(filled) == []
        assert filled.events("s-1") == ["recalled", *LATER, "folded"]
        assert [line.split()[-1] for line in times(filled)] == ["1"] * 4

    def test_opens_the_memory_where_no_bridge_runs(self, filled: Desk) -> None:
        assert LOCK in fire(filled, "prompt")
        assert times(filled)[-1].endswith(" 0")

    @pytest.mark.parametrize("bridge", [True, False])
    def test_is_silent_in_the_run_of_a_judge(
        self, bridge: bool, filled: Desk, endpoint: str
    ) -> None:
        assert LOCK in fire(filled, "prompt", "s-0")
        filled.environ["ENGRAIN_MEMORY"] = "off"
        with ExitStack() as held:
            if bridge:
                held.enter_context(listening(filled, endpoint))
            for event in ("session-start", "prompt", *LATER, "tool", "tool-failed"):
                assert fire(filled, event) == ""
        assert spool(filled) == []
        assert not (filled.sessions / "s-1.jsonl").exists()
        assert len(times(filled)) == 1

    def test_without_its_script_leaves_with_a_code_that_blocks_nothing(self, filled: Desk) -> None:
        words = door_one(filled, "prompt", patient=False)
        code = words.index("-c") + 1
        words[code] = re.sub(r"sys\.path\+=\[.*?\]", 'sys.path+=["/nowhere"]', words[code])
        done = subprocess.run(words, input=b"{}", capture_output=True, timeout=LIMIT)
        assert done.returncode == 1
        assert b"ModuleNotFoundError" in done.stderr

    def test_does_not_ask_the_bridge_of_another_user(self, filled: Desk, endpoint: str) -> None:
        asked: list[object] = []
        with pretending(endpoint, asked.append):
            os.chmod(endpoint, 0o666)
            assert LOCK in fire(filled, "prompt")
            os.chmod(endpoint, 0o600)
            os.chown(endpoint, 12345, -1) if os.getuid() == 0 else os.chmod(endpoint, 0o640)
            assert LOCK in fire(filled, "prompt", "s-2")
        assert asked == []

    def test_finds_a_bridge_whose_state_has_a_path_of_200_characters(self, filled: Desk) -> None:
        deep = filled.folder / ("d" * 100) / ("e" * 100)
        deep.parent.mkdir()
        filled.state.rename(deep)
        filled.state = deep
        filled.environ["ENGRAIN_STATE_DIR"] = str(deep)
        folder = run_folder(str(deep))
        try:
            with listening(filled, hooks_path(str(deep))):
                assert LOCK in fire(filled, "prompt")
            assert times(filled)[-1].endswith(" 1")
        finally:
            shutil.rmtree(folder)


class TestABridge:
    def test_that_left_its_socket_is_not_waited_for(self, filled: Desk, endpoint: str) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(endpoint)
        os.chmod(endpoint, 0o600)
        assert LOCK in fire(filled, "prompt")
        assert fire(filled, "stop") == ""
        assert len(spool(filled)) == 1

    def test_that_never_answers_costs_no_more_than_the_time_of_a_hook(
        self, filled: Desk, endpoint: str
    ) -> None:
        done = threading.Event()
        with pretending(endpoint, lambda _: bool(done.wait(LIMIT))):
            started = time.monotonic()
            fire(filled, "prompt", patient=False)
            fire(filled, "stop", patient=False)
            assert time.monotonic() - started < LIMIT / 2
            done.set()
        assert len(spool(filled)) >= 1

    def test_that_is_killed_amid_an_answer_has_nothing_printed_of_it(
        self, filled: Desk, endpoint: str
    ) -> None:
        with pretending(endpoint, lambda connection: connection.sendall(b'99\n{"hookSp')):
            assert LOCK in fire(filled, "prompt")
            assert fire(filled, "stop") == ""
        assert len(spool(filled)) == 1

    def test_answers_thirty_hooks_at_the_same_moment(self, filled: Desk, endpoint: str) -> None:
        events = ("prompt", "stop", "session-end") * 10
        with listening(filled, endpoint), ExitStack() as held:
            hooks = []
            for number, event in enumerate(events):
                given = filled.folder / f"payload-{number}"
                given.write_bytes(payload_of(filled, event, f"s-{number}"))
                hook = subprocess.Popen(
                    door_one(filled, event),
                    stdin=held.enter_context(given.open("rb")),
                    stdout=subprocess.PIPE,
                    cwd=filled.here,
                    env=filled.environ,
                )
                hooks.append(hook)
            for event, hook in zip(events, hooks, strict=True):
                printed, _ = hook.communicate(timeout=LIMIT * 4)
                assert hook.returncode == 0
                context = read_answer("gemini", event, printed).context
                assert (LOCK in context) == (event == "prompt")
        assert len(times(filled)) + len(spool(filled)) == 30

    def test_gives_an_entry_once_where_start_and_prompt_come_at_once(
        self, filled: Desk, endpoint: str
    ) -> None:
        events = ("prompt", "session-start")
        with listening(filled, endpoint):
            for number in range(4):
                hooks = [
                    subprocess.Popen(
                        door_one(filled, event, "copilot"),
                        stdin=subprocess.PIPE,
                        stdout=subprocess.PIPE,
                        cwd=filled.here,
                        env=filled.environ,
                    )
                    for event in events
                ]
                with ThreadPoolExecutor(2) as pool:
                    raw = [payload_of(filled, event, f"s-{number}") for event in events]
                    ended = list(pool.map(lambda hook, said: hook.communicate(said), hooks, raw))
                assert sum(printed.count(LOCK.encode()) for printed, _ in ended) == 1

    def test_without_unix_sockets_has_a_port_and_a_token(self, filled: Desk) -> None:
        forced = "import socket; del socket.AF_UNIX\n"
        serve = (
            "import sys, time; from engrain.adapters.cli.bridging import HookDoor\n"
            "from engrain import open_memory; from engrain.resolution.selector import resolve\n"
            "import os; memory = open_memory()\n"
            "place = resolve({}, os.environ, os.getcwd())\n"
            "hooks = HookDoor(place.state_dir, place, lambda: memory)\n"
            "hooks.begin(); print(flush=True); sys.stdin.read(); hooks.release(); memory.close()\n"
        )
        server = subprocess.Popen(
            [sys.executable, "-c", forced + serve],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=filled.here,
            env=filled.environ,
        )
        place = Path(hooks_path(str(filled.state)))
        hook = forced + (
            "from engrain.adapters.hooks import main as h;"
            "h.BUDGETS.update(dict.fromkeys(h.BUDGETS, 20.0));h.run(['prompt','--host=gemini'])"
        )
        try:
            assert server.stdout is not None
            server.stdout.readline()
            assert place.stat().st_mode & 0o777 == 0o600
            done = subprocess.run(
                [sys.executable, "-c", hook],
                input=payload_of(filled, "prompt"),
                capture_output=True,
                cwd=filled.here,
                env=filled.environ,
                timeout=LIMIT,
            )
            assert LOCK in read_answer("gemini", "prompt", done.stdout).context
            assert times(filled)[-1].endswith(" 1")
            port, _ = place.read_text().split()
            with socket.create_connection(("127.0.0.1", int(port)), LIMIT) as stranger:
                stranger.sendall(b"x" * 64 + b"prompt\0gemini\0")
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(1) == b""
        finally:
            server.communicate(timeout=LIMIT)
        assert not place.exists()


@pytest.fixture
def usual(filled: Desk) -> Iterator[Desk]:
    """A desk whose state is where it is by default."""
    state = filled.folder / "share" / "engrain"
    state.parent.mkdir()
    filled.state.rename(state)
    filled.state = state
    del filled.environ["ENGRAIN_STATE_DIR"]
    filled.environ["XDG_STATE_HOME"] = str(state.parent)
    folder = run_folder(str(state))
    yield filled
    shutil.rmtree(folder)


def find_holder(desk: Desk) -> int:
    """The process that answers hooks, 0 for none."""
    try:
        with connect(hooks_path(str(desk.state)), time.monotonic() + LIMIT) as connection:
            return find_peer(connection)
    except OSError:
        return 0


def wait_for(done: Callable[[], bool]) -> None:
    until = time.monotonic() + LIMIT
    while not done():
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(process: int) -> bool:
    return read_state(f"/proc/{process}/stat") not in (b"", b"Z")


class TestAStandIn:
    def test_answers_the_first_prompt_and_gives_way_to_a_bridge(self, usual: Desk) -> None:
        fire(usual, "session-start")
        assert LOCK in fire(usual, "prompt", "s-2")
        assert [line.split()[-1] for line in times(usual)] == ["0", "1"]
        standin = find_holder(usual)
        with subprocess.Popen(
            [sys.executable, "-m", "engrain", "mcp", "--stdio", "--no-jobs"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=usual.here,
            env=usual.environ,
        ) as bridge:
            wait_for(lambda: find_holder(usual) == bridge.pid)
            wait_for(lambda: not is_running(standin))
            assert fire(usual, "stop") == ""
            bridge.communicate(timeout=LIMIT)
        assert times(usual)[-1].endswith(" 1")

    def test_has_the_due_jobs_run_though_no_bridge_comes(self, usual: Desk) -> None:
        fire(usual, "session-start")
        wait_for(lambda: b'"due": true' not in usual.run("jobs", "status", "--json").raw)

    def test_ends_with_its_socket(self, usual: Desk) -> None:
        fire(usual, "session-start")
        wait_for(lambda: LOCK in fire(usual, "prompt", os.urandom(4).hex()))
        standin = find_holder(usual)
        assert is_running(standin)
        os.unlink(hooks_path(str(usual.state)))
        wait_for(lambda: not is_running(standin))

    def test_ends_after_some_idle_time(
        self, filled: Desk, endpoint: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in filled.environ.items():
            monkeypatch.setenv(name, str(value))
        place = HookPlace(endpoint)
        assert place.acquire(wait=False)
        assert place.socket is not None
        assert place._lock is not None
        serve(endpoint, place.socket.detach(), place._lock, idle=0.1)
        assert not os.path.exists(endpoint)

    def test_is_not_started_for_a_state_that_the_environment_names(self, filled: Desk) -> None:
        fire(filled, "session-start")
        assert find_holder(filled) == 0


class TestTheSpool:
    @pytest.mark.parametrize("event", LATER)
    def test_keeps_an_event_until_the_next_command(self, event: str, filled: Desk) -> None:
        filled.start("s-1")
        assert fire(filled, event) == ""
        (kept,) = spool(filled)
        assert kept.stat().st_mode & 0o777 == 0o600
        assert kept.parent.stat().st_mode & 0o777 == 0o700
        assert "s-1" in kept.name
        assert filled.events("s-1") == ["start", "given"]
        assert filled.run("list").code == 0
        assert filled.events("s-1")[:3] == ["start", "given", event]
        assert spool(filled) == []

    def test_keeps_nothing_of_what_was_said(self, filled: Desk) -> None:
        hook = start(filled, "stop")
        fields = {"session_id": "s-1", "cwd": str(filled.here), "last_assistant_message": "Psst."}
        hook.communicate(json.dumps(fields).encode(), LIMIT)
        (kept,) = spool(filled)
        assert "Psst" not in kept.read_text()

    def test_is_carried_out_in_order_by_the_next_start_of_a_session(self, filled: Desk) -> None:
        filled.start("s-1")
        for event in LATER:
            fire(filled, event)
        assert len(spool(filled)) == 3
        filled.start("s-2")
        deadline = time.monotonic() + LIMIT
        while spool(filled) and time.monotonic() < deadline:
            filled.start("s-2")
        assert filled.events("s-1")[:5] == ["start", "given", *LATER]

    def test_is_carried_out_once_though_a_kill_left_the_file(self, filled: Desk) -> None:
        filled.start("s-1")
        fire(filled, "stop")
        (kept,) = spool(filled)
        raw = kept.read_bytes()
        filled.run("list")
        kept.write_bytes(raw)
        kept.chmod(0o600)
        filled.run("list")
        assert filled.events("s-1") == ["start", "given", "stop"]
        assert spool(filled) == []

    def test_has_a_bound_and_doctor_names_what_was_given_up(self, filled: Desk) -> None:
        fire(filled, "stop")
        (kept,) = spool(filled)
        for number in range(199):
            copy = kept.with_name(f"{number:020d}-old-1.json")
            copy.write_bytes(kept.read_bytes())
            copy.chmod(0o600)
        fire(filled, "session-end")
        assert len(spool(filled)) == 200
        assert not (kept.parent / f"{0:020d}-old-1.json").exists()
        filled.run("list")
        assert spool(filled) == []
        assert filled.losses() == ["the spool was full; events given up: 1"]

    @pytest.mark.parametrize("how", ["a link", "open to others", "read-only", "another user's"])
    def test_that_cannot_be_trusted_or_written_is_not_used(
        self, how: str, filled: Desk, tmp_path: Path
    ) -> None:
        filled.start("s-1")
        folder = filled.state / "spool"
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir(mode=0o700)
        if how == "a link":
            folder.symlink_to(elsewhere)
        else:
            folder.mkdir(mode=0o700)
        if how == "open to others":
            folder.chmod(0o777)
        if how == "read-only":
            folder.chmod(0o500)
        if how == "another user's":
            if os.getuid():
                pytest.skip("only root can give a folder away")
            os.chown(folder, 12345, -1)
        assert fire(filled, "stop") == ""
        if how != "read-only" or os.getuid():
            assert [*os.listdir(elsewhere), *spool(filled)] == []
            assert filled.events("s-1") == ["start", "given", "stop"]

    def test_with_files_that_are_no_events_is_cleared_and_the_log_says_so(
        self, filled: Desk
    ) -> None:
        fire(filled, "stop")
        (kept,) = spool(filled)
        kept.write_text('{"event": "lunch"}')
        (kept.parent / "0-link.json").symlink_to("/etc/passwd")
        filled.run("list")
        assert spool(filled) == []
        assert len(filled.losses()) == 2

    def test_learns_nothing_where_memory_is_off(self, filled: Desk) -> None:
        fire(filled, "stop")
        (filled.here / ".engrain.toml").write_text('memory = "off"\n')
        filled.environ["ENGRAIN_MEMORY"] = "on"
        filled.run("list")
        assert spool(filled) == []
        assert not list(filled.state.glob("vaults/*/sessions/s-1.jsonl"))

    def test_keeps_a_prompt_for_which_there_was_no_time(self, filled: Desk) -> None:
        fire(filled, "stop", "other")  # so that the folder is there
        slow = (
            "import sys, time\n"
            "def wait(event, arguments):\n"
            "    if event == 'import' and arguments[0] == 'engrain.wiring': time.sleep(60)\n"
            "sys.addaudithook(wait)\n"
            "from engrain.adapters.hooks import main as h\n"
            "h.BUDGETS.update(dict.fromkeys(h.BUDGETS, 1.0))\n"
            "h.run(['prompt', '--host=gemini', '--project=billing'])"
        )
        done = subprocess.run(
            [sys.executable, "-c", slow],
            input=payload_of(filled, "prompt"),
            capture_output=True,
            cwd=filled.here,
            env=filled.environ,
            timeout=LIMIT,
        )
        assert done.returncode == 0
        assert filled.losses() == ["out of time"]
        filled.run("list", "--project", "billing")
        asked = [event for event in filled.journal("s-1") if event["event"] == "asked"]
        assert [event["text"] for event in asked] == [QUESTION]
        assert asked[0]["unanswered"] is True


def test_a_hook_that_an_older_version_installed_is_answered_by_the_bridge(
    filled: Desk, endpoint: str
) -> None:
    code = "from engrain.__main__ import main;main()"
    folders = [path for path in sys.path if path.endswith(("src", "site-packages"))]
    words = [sys.executable, "-I", "-S", "-c", f"import sys;sys.path+={folders!r};{code}"]
    with listening(filled, endpoint):
        for _ in range(20):
            done = subprocess.run(
                [*words, "hook", "prompt", "--host", "gemini"],
                input=payload_of(filled, "prompt", os.urandom(4).hex()),
                capture_output=True,
                cwd=filled.here,
                env=filled.environ,
                timeout=LIMIT,
            )
            assert done.returncode == 0
            if times(filled)[-1:] and times(filled)[-1].endswith(" 1"):
                return
    pytest.fail("no hook was answered by the bridge")


def test_ctrl_c_in_a_host_does_not_end_a_hook(filled: Desk) -> None:
    hook = start(filled, "prompt")
    assert hook.stdin is not None
    time.sleep(0.5)
    hook.send_signal(signal.SIGINT)
    printed, _ = hook.communicate(payload_of(filled, "prompt"), LIMIT)
    assert hook.returncode == 0
    assert LOCK in read_answer("gemini", "prompt", printed).context
