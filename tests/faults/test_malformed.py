"""Files that can't be read stop nothing, are named with line and reason, and stay as they are."""

from __future__ import annotations

import hashlib
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engrain import EngrainError, Memory, NotFoundError
from faults.malformed import KINDS, make_bad
from support.vaults import make_memory
from unit.adapters.shell import Shell

BAD = 2_000
GOOD = 500
FOLDERS = ("", "Memory", "Memory/fix", "Memory/domain-reference/deep/er", "preferences")
HUNDRED_MEGABYTES = 100 * 1024 * 1024


@pytest.fixture(autouse=True)
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository around, no setting from outside."""
    for name in ("ENGRAIN_VAULT", "ENGRAIN_STATE_DIR", "ENGRAIN_PROJECT", "ENGRAIN_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with make_memory(tmp_path) as made:
        yield made


def good_note(number: int) -> bytes:
    """A note that can be read, in one of the shapes people write, with a word of its own."""
    marker = f"marker{number:04d}word"
    shapes = (
        f"# Note {number}\n\nThe {marker} is here.\n",
        f"The {marker} without any heading.",
        f"---\ntitle: Note {number}\ntags: [a, b]\n---\nThe {marker} under frontmatter.\n",
        f"\ufeff---\r\ntitle: Note {number}\r\nmore: {{x: [1, 2]}}\r\n---\r\nThe {marker}.\r\n",
        f"---\n---\n# Note {number}\n\n--- {marker} ---\n\n---\n",
        f"---\n# only a comment\n---\n\n```yaml\n&a [*a]\n```\n{marker}\n",
        f"---\nid: note-{number}\nkind: fix\nstatus: active\ncreated: soon\n---\n灯台 {marker} é\n",
    )
    return shapes[number % len(shapes)].encode()


def take_hashes(vault: Path) -> dict[str, tuple[str, int]]:
    """Hash and time of every note."""
    return {
        str(path.relative_to(vault)): (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_mtime_ns,
        )
        for path in vault.rglob("*.md")
    }


def findings_of(shell: Shell) -> list[dict[str, object]]:
    done = shell.run("check", "--json")
    assert done.code == 1, done.raw_errors
    data = done.answer["data"]
    assert isinstance(data, dict)
    findings = data["findings"]
    assert isinstance(findings, list)
    return findings


def test_500_good_files_are_recalled_beside_2000_bad_ones(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    place = random.Random(11)
    bad = {}
    for folder in FOLDERS:
        (shell.vault / folder).mkdir(parents=True, exist_ok=True)
    for number in range(BAD):
        path = f"{place.choice(FOLDERS)}/bad-{number}.md".lstrip("/")
        bad[path] = make_bad(number)
        (shell.vault / path).write_bytes(bad[path][1].raw)
    markers = {}
    for number in range(GOOD):
        path = f"{place.choice(FOLDERS)}/good-{number}.md".lstrip("/")
        markers[f"marker{number:04d}word"] = path
        (shell.vault / path).write_bytes(good_note(number))
    before = take_hashes(shell.vault)
    assert len(before) == BAD + GOOD + 1  # and the page that `init` wrote

    listed = {one["path"]: one for one in findings_of(shell) if one["rule"] == "unreadable"}
    assert set(listed) == set(bad)
    for path, (kind, file) in bad.items():
        told = listed[path]
        assert told["severity"] == "error"
        assert told["message"]
        assert told["remedy"]
        if file.reason is not None:
            assert f"({file.reason})" in str(told["message"]), (kind, told)
        if file.line is not None:
            assert told["line"] == file.line, (kind, told)
        elif file.reason == "yaml":
            assert isinstance(told["line"], int)
            raw = file.raw
            assert 1 < told["line"] <= raw.count(b"\n") + 1, (kind, told)

    with make_memory(tmp_path) as memory:
        for marker, path in markers.items():
            found = memory.recall(marker).results
            assert [recalled.row.locator for recalled in found] == [path]
            assert marker in found[0].text
        assert memory.list().total == GOOD
        assert all(report.wrong is None for report in memory.trust.survey().chains)
    assert take_hashes(shell.vault) == before


def test_the_kinds_are_many_and_each_is_bad_by_itself(memory: Memory, tmp_path: Path) -> None:
    assert len(KINDS) >= 20
    for number in range(len(KINDS)):
        kind, file = make_bad(number)
        path = tmp_path / "vault" / "one.md"
        path.write_bytes(file.raw)
        problems = memory.check(["unreadable"]).found
        assert [problem.place for problem in problems] == ["one.md"], kind
        assert "\n" not in problems[0].message
        path.unlink()
    assert memory.check(["unreadable"]).found == []


def test_a_file_that_was_mended_is_recalled(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "vault" / "broken.md"
    path.write_bytes(b"---\ntitle: [\n---\nlighthouse\n")
    assert memory.recall("lighthouse").results == ()
    path.write_bytes(b"---\ntitle: x\n---\nlighthouse\n")
    assert [found.row.title for found in memory.recall("lighthouse").results] == ["x"]
    path.write_bytes(b"---\ntitle: y]\n---\nlighthouse \xff\n")
    assert memory.recall("lighthouse").results == ()
    assert [flaw.place for flaw in memory.check().found] == ["broken.md"]


def test_a_name_taken_by_a_bad_file_is_left_to_it(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "vault" / "Memory" / "fix" / "lock.md"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"---\nnever closed\n")
    saved = memory.save("Use an advisory lock.", title="Lock", kind="fix")
    assert saved.locator != "Memory/fix/lock.md"
    assert path.read_bytes() == b"---\nnever closed\n"
    assert memory.save("Use an advisory lock.", title="Lock", kind="fix").outcome == "unchanged"


def test_a_bad_file_can_not_be_changed_by_any_verb(memory: Memory, tmp_path: Path) -> None:
    path = tmp_path / "vault" / "bad.md"
    path.write_bytes(b"---\ntitle: [\n---\n")
    other = memory.save("Other words.", title="Other").id
    changes: list[Callable[[], object]] = [
        lambda: memory.forget("bad.md"),
        lambda: memory.evolve("bad.md", "New words."),
        lambda: memory.edit("bad.md", expect="0" * 64, text="New words."),
        lambda: memory.link("bad.md", other),
        lambda: memory.link(other, "bad.md"),
    ]
    for change in changes:
        with pytest.raises(EngrainError):
            change()
    assert path.read_bytes() == b"---\ntitle: [\n---\n"


def test_an_entry_that_breaks_is_not_changed_by_its_id(memory: Memory, tmp_path: Path) -> None:
    saved = memory.save("Some words.", title="Words")
    path = tmp_path / "vault" / saved.locator
    path.write_bytes(b"---\nid: [" + saved.id.encode() + b"\n---\n")
    broken = path.read_bytes()
    with pytest.raises(EngrainError):
        memory.forget(saved.id)
    with pytest.raises(EngrainError):
        memory.edit(saved.id, expect=saved.hash, text="Other words.")
    assert path.read_bytes() == broken
    assert memory.recall("words").results == ()


NO_TEXT = (
    "NUL in the frontmatter", "NUL in the body", "UTF-16, little end", "UTF-16, big end",
    "UTF-16 without its mark", "Latin-1 in the frontmatter", "Latin-1 in the body",
    "half of a surrogate pair", "overlong and cut off", "too large", "binary",
)  # fmt: skip
"""The kinds of which an import can't take the text either."""


def test_an_import_takes_the_good_ones_and_names_the_bad(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "notes"
    source.mkdir()
    for number in range(len(KINDS)):
        (source / f"bad-{number}.md").write_bytes(make_bad(number)[1].raw)
    for number in range(7):
        (source / f"good-{number}.md").write_bytes(good_note(number))
    before = take_hashes(source)
    imported = memory.import_folder(str(source))
    left_out = {f"bad-{number}.md" for number, kind in enumerate(KINDS) if kind in NO_TEXT}
    unread = {f"bad-{number}.md" for number in range(len(KINDS))} - left_out
    assert imported.counts == {"created": 7 + len(unread), "left out": len(left_out)}
    assert sorted(path for path, _ in imported.problems) == sorted(left_out)
    assert sorted(path for path, _ in imported.unread) == sorted(unread)
    told = [*imported.problems, *imported.unread]
    assert all(message and "\n" not in message for _, message in told)
    assert take_hashes(source) == before
    for number in range(7):
        assert len(memory.recall(f"marker{number:04d}word").results) == 1


def test_names_that_are_no_text_or_hide_something_are_reported(shell: Shell) -> None:
    for name in (b"caf\xe9.md", b"new\nline.md", b"es\x1bcape.md", b"back\\slash.md"):
        with open(bytes(shell.vault) + b"/" + name, "wb") as file:
            file.write(b"# Odd\n\nlighthouse\n")
    (shell.vault / "good.md").write_text("# Good\n\nlighthouse\n")
    assert [str(one["message"])[-6:] for one in findings_of(shell)] == ["(name)"] * 4
    listed = shell.run("doctor")
    assert listed.code == 0
    assert listed.out.count("the name is no text") == 4
    assert shell.run("recall", "lighthouse").out.startswith("1. Good")


def test_folders_that_are_nested_too_deep_are_reported(shell: Shell) -> None:
    deep = shell.vault
    for _ in range(80):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "lost.md").write_text("# Lost\n")
    (shell.vault / "good.md").write_text("# Good\n\nlighthouse\n")
    (finding,) = findings_of(shell)
    assert "(too-deep)" in str(finding["message"])
    assert shell.run("recall", "lighthouse").out.startswith("1. Good")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Shell(tmp_path)
    assert made.run("init").code == 0
    return made


_PEAK = """\
import resource, sys
from engrain.adapters.cli.main import run
code = run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(code)
"""


def run_for_peak(shell: Shell, *argv: str) -> tuple[str, int]:
    """What a command writes, and the most memory it took, in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, *argv],
        capture_output=True,
        check=True,
        env=shell.environ,
        cwd=shell.here,
    )
    return done.stdout.decode(), int(done.stderr) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
def test_a_file_of_100_megabytes_is_reported_and_never_read(shell: Shell) -> None:
    (shell.vault / "good.md").write_text("# Good\n\nlighthouse\n")
    _, without = run_for_peak(shell, "doctor", "--json")
    with open(shell.vault / "huge.md", "wb") as file:
        file.truncate(HUNDRED_MEGABYTES)
    out, peak = run_for_peak(shell, "doctor", "--json")
    assert peak < without + 20 * 1024 * 1024
    assert "(too-large)" in out
    assert '"path": "huge.md", "line": 0' in out
    assert shell.run("recall", "lighthouse").out.startswith("1. Good")
    assert (shell.vault / "huge.md").stat().st_size == HUNDRED_MEGABYTES


def test_a_folder_that_is_removed_takes_its_entries_with_it(memory: Memory, tmp_path: Path) -> None:
    memory.save("Use an advisory lock.", title="Lock", kind="fix")
    other = tmp_path / "vault" / "by-hand"
    other.mkdir()
    (other / "note.md").write_text("# By hand\n")
    (other / "bad.md").write_text("---\nnever closed\n")
    memory.scan()
    shutil.rmtree(tmp_path / "vault" / "Memory")
    shutil.rmtree(other)
    assert memory.list().total == 0
    assert memory.recall("advisory lock").results == ()
    assert {flaw.rule for flaw in memory.check().found} <= {"removed"}


def test_files_that_come_and_go_meanwhile_disturb_nothing(memory: Memory, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for number in range(20):
        (vault / f"good-{number}.md").write_bytes(good_note(number))
    stop = threading.Event()

    def churn(seed: int) -> None:
        draw = random.Random(seed)
        folder = vault / f"churn-{seed}"
        while not stop.is_set():
            folder.mkdir(exist_ok=True)
            paths = [folder / f"{n}.md" for n in range(20)]
            for path in paths:
                path.write_bytes(make_bad(draw.randrange(10_000))[1].raw[:4096])
            for path in paths[::2]:
                path.write_text("---\ntitle: Passing\n---\npassing by\n")
            for path in paths[:10]:
                path.rename(folder / f"renamed-{path.name}")
            for path in list(folder.iterdir()):
                path.unlink()
            folder.rmdir()

    threads = [threading.Thread(target=churn, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    try:
        for rounds in range(20):
            marker = f"marker{rounds % 20:04d}word"
            assert [found.row.locator for found in memory.recall(marker).results] == [
                f"good-{rounds % 20}.md"
            ]
            memory.list()
            memory.recall("passing")
            if rounds % 10 == 0:
                memory.check()
                memory.save(f"Round {rounds}.", title=f"Round {rounds}")
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    found = [flaw for flaw in memory.check().found if flaw.rule not in ("missing", "removed")]
    assert {(flaw.place, flaw.message) for flaw in found} == {
        (f"good-{n}.md", "created is not a date") for n in (6, 13)
    }
    assert memory.recall("passing").results == ()
    with pytest.raises(NotFoundError):
        memory.show("churn-1/0.md")
