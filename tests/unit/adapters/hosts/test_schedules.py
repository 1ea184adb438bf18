"""What each scheduler is told: whatever the paths, the command that runs is the one that was meant,
and what others told it stays as it is (S1.23, S4.11)."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engrain.adapters.hosts import schedulers
from engrain.adapters.hosts.schedule import STEPS, Schedule, name_schedule
from engrain.model.errors import UsageError

AWKWARD = [
    "plain", "two words", "100%", "%%", "'", '"', "it's \"here\" 5%", "$HOME", "${HOME}", "$$",
    "`id`", "$(id)", "#1", "a;b", "&", "|", ">", "*", "~", "!", "-x", "é", "日本", "\u00a0", "",
    " ", "%n %h", "a=b", "\\", "a\\%b", "\\n", "end\\",
]  # fmt: skip
ECHO = "import json, sys; print(json.dumps(sys.argv[1:]))"

words = st.text(
    st.one_of(st.sampled_from("%'\"$\\ #;&|`a"), st.characters(exclude_categories=["Cs", "Cc"])),
    max_size=12,
)
without_backslash = words.map(lambda word: word.replace("\\", "/"))
lines = st.one_of(
    st.binary(max_size=30).map(lambda raw: raw.replace(b"\n", b"")),
    st.sampled_from(
        [
            b"# comment", b"MAILTO=me", b"*/5 * * * * true", b"", b" ", b"\t", b"CRLF\r",
            b"# engrain-0123456789ab", b"* * * * * x # engrain-0123456789ab0",
            b"# off: * * * * * x # engrain-0123456789ab", b"* * * * * y # engrain-ba9876543210",
        ]
    ),
)  # fmt: skip
crontabs = st.tuples(st.lists(lines, max_size=8), st.booleans()).map(
    lambda drawn: b"\n".join(drawn[0]) + (b"\n" if drawn[1] else b"")
)
NAME = "engrain-0123456789ab"
LINE = f"*/30 * * * * nice -n 10 engrain jobs run --due # {NAME}".encode()


def schedule(*argv: str, every: int = 30, location: str = "/vault") -> Schedule:
    return Schedule(location, argv or ("/usr/bin/engrain", "jobs", "run", "--due"), every)


# -- what can be scheduled -----------------------------------------------------------------------


def test_each_vault_has_a_schedule_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "link").symlink_to("one")
    names = [name_schedule(str(tmp_path / name)) for name in ("one", "link", "two")]
    assert names[0] == names[1] != names[2]
    assert all(re.fullmatch(r"engrain-[0-9a-f]{12}", name) for name in names)


@pytest.mark.parametrize("every", [0, -30, 7, 45, 90, 1441])
def test_an_interval_that_schedulers_do_not_know_is_refused(every: int) -> None:
    with pytest.raises(UsageError, match=f"every {every} minutes") as raised:
        schedule(every=every)
    assert raised.value.remedy
    assert "30" in raised.value.remedy


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "a\0b", "\x1b[1m", "\x7f", "\udc80"])
def test_a_path_with_control_characters_is_refused(word: str) -> None:
    with pytest.raises(UsageError):
        schedule("/usr/bin/engrain", word)


# -- cron ----------------------------------------------------------------------------------------


@given(crontab=crontabs)
def test_what_install_adds_remove_takes_away_and_every_other_byte_stays(crontab: bytes) -> None:
    installed = schedulers.put_line(crontab, LINE, NAME)
    assert LINE in installed.split(b"\n")
    assert schedulers.put_line(installed, LINE, NAME) == installed
    assert schedulers.drop_line(installed, NAME) == crontab
    assert schedulers.drop_line(crontab, NAME) == crontab
    assert schedulers.drop_line(installed, "engrain-999999999999") == installed


@given(crontab=crontabs, above=crontabs)
def test_a_line_that_changed_is_changed_where_it_stands(crontab: bytes, above: bytes) -> None:
    old = LINE.replace(b"30", b"20")
    before = above + b"\n" + old + b"\n" + crontab
    assert schedulers.put_line(before, LINE, NAME) == above + b"\n" + LINE + b"\n" + crontab
    twice = before + b"\n" + old
    assert schedulers.put_line(twice, LINE, NAME).split(b"\n").count(LINE) == 1


@pytest.mark.parametrize("every", STEPS)
def test_the_line_has_five_fields_and_the_name(every: int) -> None:
    made = schedule(every=every)
    line = schedulers.write_cron_line(made).decode()
    assert re.match(r"(\*(/\d+)?|\d+) (\*(/\d+)?|0) \* \* \* nice -n 10 /usr/bin/engrain ", line)
    assert line.endswith(f">/dev/null 2>&1 # {made.name}")
    assert schedulers.is_ours(line.encode(), made.name)


@settings(max_examples=25)
@given(argv=st.lists(without_backslash, max_size=4))
@example([word for word in AWKWARD if "\\" not in word])
def test_what_cron_runs_is_what_was_meant_whether_it_knows_percent_signs_or_not(
    argv: list[str],
) -> None:
    made = schedule(sys.executable, "-c", ECHO, *argv)
    line = schedulers.write_cron_line(made).decode()
    command = line.split(" ", 5)[5].replace(" >/dev/null 2>&1", "")
    for given_to_shell in (_as_cron_reads(command), command):
        done = subprocess.run(["/bin/sh", "-c", given_to_shell], capture_output=True, check=True)
        assert json.loads(done.stdout) == argv


def _as_cron_reads(command: str) -> str:
    r"""What cron hands to the shell: `\%` as `%`, and of a bare one on it is standard input
    (crontab(5))."""
    assert not re.search(r"(?<!\\)%", command)
    return command.replace("\\%", "%")


def test_a_backslash_is_refused_since_no_two_crons_read_it_alike() -> None:
    with pytest.raises(UsageError, match="backslash"):
        schedulers.write_cron_line(schedule("/usr/bin/engrain", "a\\b"))


def test_a_real_crontab_takes_the_line(tmp_path: Path) -> None:
    program = shutil.which("crontab")
    if program is None:
        pytest.skip("there is no crontab on this machine")
    told = subprocess.run([program, "-h"], capture_output=True, text=True, check=False).stderr
    option = next((option for option in ("-T", "-n") if f"{option} " in told), None)
    if option is None:
        pytest.skip("this crontab can't check a file without installing it")
    file = tmp_path / "crontab"
    file.write_bytes(
        schedulers.write_cron_line(schedule("/usr/bin/engrain", 'it\'s 5% "here"')) + b"\n"
    )
    subprocess.run([program, option, str(file)], check=True, capture_output=True)


# -- systemd -------------------------------------------------------------------------------------


@given(argv=st.lists(words, max_size=5))
@example(AWKWARD)
def test_what_systemd_reads_is_what_was_meant(argv: list[str]) -> None:
    service = schedulers.write_service(schedule("/usr/bin/engrain", *argv))
    (line,) = re.findall(r"^ExecStart=(.*)$", service, re.M)
    assert _as_systemd_reads(line) == ["/usr/bin/engrain", *argv]


def _as_systemd_reads(line: str) -> list[str]:
    """The words of a command line all of whose words are in double quotes: specifiers, escapes and
    variables (systemd.unit(5), systemd.syntax(7), systemd.service(5))."""
    assert not re.search(r"(?<!%)(%%)*%(?!%)", line)
    found = re.findall(r'"((?:[^"\\]|\\.)*)"(?: |$)', line.replace("%%", "%"))
    unescaped = [re.sub(r"\\(.)", r"\1", word) for word in found]
    program, *arguments = unescaped
    for word in arguments:
        assert "$" not in word.replace("$$", "")
    return [program, *(word.replace("$$", "$") for word in arguments)]


@pytest.fixture
def analyze(tmp_path: Path) -> str:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("there is no systemd-analyze on this machine")
    return program


def test_real_systemd_takes_the_units_whatever_the_paths(tmp_path: Path, analyze: str) -> None:
    """It looks whether the program is there and may be run, so it has read its path as is meant."""
    odd = tmp_path / "a 100% $HOME ${x} é; path"
    odd.mkdir()
    program = odd / "engrain"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    made = schedule(str(program), *AWKWARD, location=str(odd / "end\\"))
    files = _write_units(tmp_path, made)
    done = _verify(analyze, files)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    program.chmod(0o644)
    assert "not executable" in _verify(analyze, files).stderr


@pytest.mark.parametrize("path", ["/it's/engrain", '/"/engrain', "/a\\b/engrain"])
def test_a_program_that_systemd_can_not_start_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="starts no program"):
        schedulers.write_service(schedule(path))


@pytest.mark.parametrize("every", STEPS)
def test_real_systemd_takes_every_interval(analyze: str, every: int) -> None:
    (calendar,) = re.findall(
        r"^OnCalendar=(.*)$", schedulers.write_timer(schedule(every=every)), re.M
    )
    done = subprocess.run(
        [analyze, "calendar", "--iterations=3", "--base-time=2026-03-01 10:07:00 UTC", calendar],
        capture_output=True,
        text=True,
        env={**os.environ, "LC_ALL": "C", "TZ": "UTC"},
        check=True,
    )
    times = re.findall(r"\w{3} (\d{4}-\d\d-\d\d) (\d\d):(\d\d):(\d\d) UTC", done.stdout)
    minutes = [
        int(day[-2:]) * 1440 + int(hour) * 60 + int(minute) for day, hour, minute, _ in times
    ]
    first, second, third = minutes[-3:]
    assert second - first == third - second == every


def test_a_missed_run_is_made_up_and_nobody_is_disturbed() -> None:
    made = schedule()
    assert "\nPersistent=true\n" in schedulers.write_timer(made)
    service = schedulers.write_service(made)
    for line in ("Nice=10", "IOSchedulingClass=idle", "StandardOutput=null", "Type=oneshot"):
        assert f"\n{line}\n" in service


def _write_units(folder: Path, made: Schedule) -> list[str]:
    files = []
    for ending, text in (
        ("service", schedulers.write_service(made)), ("timer", schedulers.write_timer(made)),
    ):  # fmt: skip
        path = folder / f"{made.name}.{ending}"
        path.write_text(text)
        files.append(str(path))
    return files


def _verify(analyze: str, files: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [analyze, "verify", *files],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
