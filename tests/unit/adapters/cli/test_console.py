"""Standard streams: closed, broken, full, of another encoding, a terminal or not."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, Shell

ESCAPE = "\x1b"


def read_terminal(shell: Shell, *argv: str, environ: dict[str, str] | None = None) -> str:
    """What `engrain` writes to a terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 40, 120, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", *argv],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
        cwd=shell.here,
        env={**shell.environ, "TERM": "xterm", **(environ or {})},
    )
    os.close(slave)
    written = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(master)
    assert process.wait(60) == 0
    return written.decode()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with an entry in its vault, for tests that neither move the vault nor count."""
    made = Shell(tmp_path_factory.mktemp("saved"))
    assert made.run("init").code == 0
    assert made.run("save", "The lighthouse keeper counts.", "--title", "Lighthouse").code == 0
    return made


def test_a_dash_reads_standard_input(cli: CommandLine) -> None:
    assert cli("save", "--title", "From a pipe", "-", stdin=b"Piped words.\n").code == 0
    assert "Piped words." in cli("recall", "-", stdin=b"piped words").out


def test_long_text_comes_through_standard_input(cli: CommandLine) -> None:
    text = "".join(f"Line {number} of a long text.\n" for number in range(8000))
    assert cli("save", "--title", "Long", "-", stdin=text.encode()).code == 0
    saved = cli("show", "long", "--raw").out
    assert saved.endswith("# Long\n" + text)


def test_input_that_is_not_utf_8_is_refused(cli: CommandLine) -> None:
    for argv in (["save", "--title", "Bytes", "-"], ["recall", "-"]):
        done = cli(*argv, stdin=b"caf\xe9")
        assert (done.code, done.out) == (2, "")
        assert done.err == "engrain: standard input is not UTF-8 text\n"
    assert cli("list").out == "0 in all\n"


def test_empty_input_is_nothing_to_save(cli: CommandLine) -> None:
    assert cli("save", "-").code == 2


def test_no_escape_code_leaves_for_a_pipe(saved: Shell) -> None:
    for argv in (["list"], ["recall", "lighthouse"], ["doctor"], ["history"], ["show", "nowhere"]):
        done = saved.run(*argv)
        assert ESCAPE not in done.out + done.err


def test_a_terminal_gets_colour(saved: Shell) -> None:
    assert ESCAPE in read_terminal(saved, "list")


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(saved: Shell, environ: dict[str, str]) -> None:
    assert ESCAPE not in read_terminal(saved, "list", environ=environ)
    assert ESCAPE not in read_terminal(saved, "recall", "lighthouse", environ=environ)


def test_a_file_of_control_characters_drives_no_terminal(shell: Shell) -> None:
    (shell.vault / "Memory").mkdir(exist_ok=True)
    hostile = (
        '---\nid: "\\e]0;owned\\a\\e[2Jid"\nkind: "\\e[31mkind"\n'
        'title: "\\e[2J\\rgood\\u202e\\u200b\\x9b31m title\\nsecond line"\n'
        'source: {trust: "\\e[1mwho"}\n---\n\x1b[31mbody \x9b2J\r\u202e text\n'
    )
    (shell.vault / "Memory" / "evil\u202e\x9b.md").write_text(hostile)
    for argv in (["list"], ["recall", "text", "--full"], ["show", "Memory/evil\u202e\x9b.md"]):
        written = read_terminal(shell, *argv)
        rest = re.sub(r"\x1b\[(?:0|1|2|31|32|33)m", "", written).replace("\r\n", "\n")
        assert "good" in rest
        assert not set(rest) & set("\x1b\x07\r\x9b\u202e\u200b"), (argv, rest)
        assert "\x1b[31mbody" not in written
        piped = shell.run(*argv).out
        assert not set(piped) & set("\x1b\x07\r\x9b\u202e\u200b"), (argv, piped)
    assert shell.run("list").out.count("\n") == 2


def test_a_progress_bar_is_drawn_on_a_terminal_only(shell: Shell) -> None:
    assert "saving the sample" in read_terminal(shell, "demo")
    assert shell.run("demo").err == ""


def test_a_reader_that_leaves_early_is_no_error(shell: Shell) -> None:
    shell.vault.joinpath("Memory").mkdir(exist_ok=True)
    for number in range(2000):
        # More than a pipe holds, so that the writer is still at it.
        name = f"a-note-with-a-rather-long-name-so-that-there-is-something-to-write-{number}.md"
        shell.vault.joinpath("Memory", name).write_text("x\n")
    done = shell.sh("engrain list | head -1; echo ${PIPESTATUS[0]}")
    assert done.err == ""
    assert done.out.splitlines()[1] == "0"
    done = shell.sh("engrain list --json | true; echo ${PIPESTATUS[0]}")
    assert (done.out, done.err) == ("0\n", "")


def test_a_reader_that_leaves_before_the_help_is_no_error(bare_shell: Shell) -> None:
    done = bare_shell.sh(
        "engrain --help > >(true); engrain config completion zsh > >(true); echo $?"
    )
    assert (done.out, done.err) == ("0\n", "")


def test_a_closed_output_is_no_error(saved: Shell) -> None:
    done = saved.sh("engrain list >&-; echo $?; engrain list --json >&-; echo $?")
    assert (done.out, done.err) == ("0\n0\n", "")
    done = saved.sh("engrain save 'Words.' >&- 2>&- <&-; echo $?; engrain list")
    assert done.out.startswith("0\n")
    assert "Words." in done.out


def test_a_closed_input_is_an_empty_one(saved: Shell) -> None:
    done = saved.sh("engrain save - <&-; echo $?")
    assert done.out == "2\n"
    assert "nothing to save" in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_answer_that_can_not_be_written_is_an_error_on_standard_error(saved: Shell) -> None:
    for json in ("", " --json"):
        done = saved.sh(f"engrain list{json} >/dev/full; echo $?")
        assert done.out == "1\n"
        assert done.err == (
            "engrain: the answer can't be written: No space left on device [standard output]\n"
        )


def test_a_locale_without_the_letters_gets_them_escaped(saved: Shell) -> None:
    assert saved.run("save", "Grüße", "--title", "Grüße").code == 0
    done = saved.run("list", environ={"PYTHONIOENCODING": "ascii"})
    assert done.code == 0
    assert "Gr\\xfc\\xdfe" in done.out


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["save", b"caf\xe9"], 2),
        (["save", "text", "--title", b"caf\xe9"], 2),
        (["save", "text", "--tag", b"\xff"], 2),
        (["save", "text", "--project", b"\xff"], 2),
        (["save", "text", "--agent", b"\xff"], 2),
        (["save", "text", "--ref", b"\xff"], 2),
        (["recall", b"\xff\xfe"], 0),
        (["show", b"\xff"], 3),
        (["list", "--kind", b"\xff"], 0),
        (["list", "--project", b"\xff"], 0),
        (["list", "--since", b"\xff"], 2),
        (["list", "--backend", b"\xff"], 5),
        (["list", "--vault", b"/nowhere/\xff"], 5),
        (["list", "--state-dir", b"/tmp/\xff"], None),
        (["import", b"/nowhere/\xff"], 2),
        (["edit", b"\xff", "--expect", b"\xff", "x"], 3),
        (["link", b"\xff", "x"], 3),
        (["undo", b"\xff"], 2),
        (["config", "set", "agent", b"\xff"], 2),
        ([b"\xff"], 2),
    ],
)
def test_arguments_that_are_not_utf_8_break_nothing(
    saved: Shell, argv: list[str | bytes], code: int | None
) -> None:
    if code is None:
        state = os.fsencode(saved.folder) + b"/\xff"
        argv, code = ["list", "--state-dir", state], 2
    done = saved.run(*argv)
    assert done.code == code, done.raw_errors
    assert b"Traceback" not in done.raw_errors
    assert done.raw_errors.count(b"\n") == (0 if code == 0 else 1)
    as_json = saved.run(*argv, "--json")
    assert as_json.code == code
    assert as_json.answer["ok"] is (code == 0)
    assert as_json.raw_errors == b""


def test_a_vault_whose_name_is_not_utf_8_works(saved: Shell) -> None:
    vault = os.fsencode(saved.folder) + b"/caf\xe9"
    assert saved.run("init", "--vault", vault).code == 0
    assert saved.run("save", "Words.", "--vault", vault).code == 0
    for argv in (["list"], ["doctor"], ["list", "--json"], ["doctor", "--json"]):
        done = saved.run(*argv, "--vault", vault)
        assert (done.code, done.raw_errors) == (0, b"")


def test_interrupting_is_one_line_and_code_130(shell: Shell) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "save", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.environ,
        cwd=shell.here,
    )
    assert process.stdin is not None
    # It waits for the rest of its input: by then it is at work.
    process.stdin.write(b"x")
    process.stdin.flush()
    wait_until_it_reads(process.pid)
    process.send_signal(2)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"engrain: interrupted\n")


def wait_until_it_reads(pid: int) -> None:
    """Until the process has emptied its standard input."""
    pipe = os.open(f"/proc/{pid}/fd/0", os.O_RDONLY | os.O_NONBLOCK)
    try:
        for _ in range(3000):
            waiting = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]
            if not waiting:
                return
            time.sleep(0.02)
    finally:
        os.close(pipe)
    raise AssertionError("the process never read its input")


def test_what_was_said_before_an_error_comes_before_it(shell: Shell) -> None:
    shell.vault.rename(shell.folder / "away")
    lines = shell.sh("engrain doctor 2>&1").out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "vault",
        "backend",
        "state",
        "project",
        "engrain",
    ]
    assert shell.sh("engrain doctor 2>/dev/null | true; echo ${PIPESTATUS[0]}").err == ""


def test_an_error_after_the_reader_has_gone_is_still_reported(shell: Shell) -> None:
    shell.vault.rename(shell.folder / "away")
    done = shell.sh("engrain doctor > >(true); echo $?")
    assert done.out == "5\n"
    assert done.err.startswith("engrain: the vault can't be reached")
    assert done.err.count("\n") == 1


def test_a_system_without_posix_locks_is_reported_so_in_one_line() -> None:
    code = "import os\nfrom engrain.__main__ import main\nos.name = 'nt'\nmain()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    told = "engrain: files and locks need Linux or macOS; on Windows, use WSL\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)
