"""What the documents show is what the program does."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from support.documents import (
    HOME,
    ROOT,
    Step,
    is_shown,
    list_documents,
    read_anchors,
    read_links,
    read_programs,
    read_session,
    without_code,
)

MARK = "=== the end of"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SESSIONS = [path for path in DOCUMENTS if read_session(path.read_text())]
FILES = ROOT / "docs" / "extend.md"
"""Its `python` blocks are files: each opens with a comment that names it."""
PROGRAMS = [path for path in DOCUMENTS if path != FILES and read_programs(path.read_text())]


PRIVATE = ("stops being told", "for your word", "of none", "what is there", "told anew")
"""Phrases that a newcomer has to read twice; say who does what to what."""
PICTURE = ROOT / "docs" / "figures" / "two-sessions.svg"
LESSON = "psycopg prepares a query after five runs; behind the pooler that fails."


def read_picture(path: Path) -> str:
    """The lines of text of a picture in SVG, which has to be well-formed."""
    texts = ElementTree.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")
    return "".join(f"{text.text}\n" for text in texts)


def list_pages(nav: object) -> Iterator[str]:
    """The pages that a navigation of MkDocs names, in order."""
    if isinstance(nav, str):
        yield nav
    else:
        assert isinstance(nav, (list, dict))
        for part in nav.values() if isinstance(nav, dict) else nav:
            yield from list_pages(part)


class Reader:
    """Someone at a fresh machine who follows a document from top to bottom."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.programs = Path(sys.executable).parent
        self.environ = {
            "HOME": str(self.home),
            "PATH": f"{self.programs}:{os.environ.get('PATH', os.defpath)}",
            "LANG": "C.UTF-8",
            "ENGRAIN_EMBEDDER": "none",
        }

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the home folder; its output and errors as one text."""
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            cwd=self.home,
            env=self.environ,
            timeout=600,
        )

    def follow(self, steps: list[Step]) -> list[tuple[str, int]]:
        """Type each command into one shell; the output and exit code of each."""
        script = [
            f"{step.command}\n__code=$?; printf '\\n{MARK} {n}: %s\\n' $__code; (exit $__code)\n"
            for n, step in enumerate(steps)
        ]
        (self.home.parent / "session.sh").write_text("".join(script))
        printed = self.run("bash", str(self.home.parent / "session.sh")).stdout
        parts = re.split(rf"{MARK} [0-9]+: ([0-9]+)\n", printed.replace(str(self.home), HOME))
        return list(zip(parts[::2], map(int, parts[1::2]), strict=False))


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: str(path.name))
def test_every_session_in_a_document_goes_as_it_is_shown(path: Path, reader: Reader) -> None:
    steps = read_session(path.read_text())
    done = reader.follow(steps)
    wrong = [
        f"{path.name}:{step.line}: $ {step.command}\n{printed}[exit code {code}]"
        for step, (printed, code) in zip(steps, done, strict=False)
        if not is_shown(step.output, printed) or (code != 0) != step.shows_failure
    ]
    assert not wrong, "\n".join(wrong)
    assert len(done) == len(steps)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.name))
def test_every_python_example_prints_what_is_shown(path: Path, reader: Reader) -> None:
    steps = read_programs(path.read_text())
    script = reader.home.parent / "example.py"
    script.write_text("".join(f"{step.command}\nprint({MARK!r}, flush=True)\n" for step in steps))
    done = reader.run(sys.executable, str(script))
    assert done.returncode == 0, done.stdout
    printed = done.stdout.replace(str(reader.home), HOME).split(f"{MARK}\n")
    for step, text in zip(steps, printed[:-1], strict=True):
        assert is_shown(step.output, text), f"{path.name}:{step.line} prints\n{text}"


def test_the_main_documents_have_examples_that_are_run() -> None:
    assert {"README.md", "tutorial.md", "use.md", "integrate.md", "operate.md"} <= {
        path.name for path in SESSIONS
    }
    assert {"README.md", "integrate.md"} <= {path.name for path in PROGRAMS}


@pytest.mark.parametrize("path", list_documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_somewhere(path: Path) -> None:
    for target, anchor in read_links(path.read_text()):
        place = path.parent / target if target else path
        assert place.exists(), f"{target} is not there"
        if anchor:
            assert anchor in read_anchors(place.read_text()), f"{target} has no #{anchor}"


def test_the_reference_is_what_the_code_says_now(reader: Reader) -> None:
    done = reader.run(sys.executable, str(ROOT / "docs" / "make_reference.py"), "--check")
    assert done.returncode == 0, done.stdout


def test_every_command_is_in_the_reference() -> None:
    from engrain.adapters.cli.commands import COMMANDS

    assert {f"engrain-{name}" for name in COMMANDS} <= read_anchors(
        (ROOT / "docs" / "reference.md").read_text()
    )


def test_the_readme_names_one_command_to_see_it_and_one_to_test_it() -> None:
    lines = (ROOT / "README.md").read_text().splitlines()
    assert "python3 tasks.py demo" in lines
    assert "python3 tasks.py test" in lines
    tasks = runpy.run_path(str(ROOT / "tasks.py"))["TASKS"]
    assert tasks["demo"][1] == [["engrain", "demo"]]
    assert [command[0] for command in tasks["test"][1]] == ["pytest"]


def test_the_readme_is_short_and_shows_the_picture() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 110
    assert f"({PICTURE.relative_to(ROOT)})" in text


def test_the_picture_shows_what_its_sessions_print_today(reader: Reader) -> None:
    drawn = reader.home.parent / "picture.svg"
    done = reader.run(sys.executable, str(ROOT / "docs" / "make_picture.py"), str(drawn))
    assert done.returncode == 0, done.stdout
    today, committed = read_picture(drawn), read_picture(PICTURE)
    assert is_shown(committed, today), f"run `python3 tasks.py docs`; it prints\n{today}"
    assert {"created  Pooler drops prepared statements", LESSON} <= set(today.splitlines())
    steps = read_session((ROOT / "README.md").read_text())
    assert any(LESSON in step.output for step in steps), "the README tells another story"


def test_the_site_has_every_page_in_one_place() -> None:
    shown = list(list_pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    assert len(shown) == len(set(shown))
    from_root = {"index.md", "contributing.md", "security.md", "changelog.md"}
    from_root.add("decisions/index.md")
    assert set(shown) == from_root | {path.name for path in (ROOT / "docs").glob("*.md")}


def test_the_index_of_decisions_links_each_of_them() -> None:
    index = ROOT / "docs" / "decisions" / "index.md"
    listed = {target for target, _ in read_links(index.read_text())}
    assert {path.name for path in index.parent.glob("[0-9]*.md")} <= listed


@pytest.mark.parametrize("section", ["Added", "Changed", "Fixed", "Removed"])
def test_the_changelog_has_the_sections_of_keep_a_changelog(section: str) -> None:
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    assert "## [Unreleased]" in lines
    assert f"### {section}" in lines


def test_every_form_and_configuration_of_the_repository_is_yaml() -> None:
    files = [*ROOT.glob(".github/**/*.yml"), ROOT / ".pre-commit-config.yaml"]
    assert len(files) > 3
    for path in files:
        assert isinstance(yaml.safe_load(path.read_text()), dict), path
    tasks = runpy.run_path(str(ROOT / "tasks.py"))["TASKS"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in (hook for repository in hooks for hook in repository["hooks"]):
        program, script, task = hook["entry"].split()
        assert (program, script) == ("python3", "tasks.py")
        assert task in tasks


def test_the_glossary_explains_each_of_our_words_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    words = re.findall(r"^\*\*(.+?)\*\*", text, re.MULTILINE)
    assert len(words) == len(set(words))
    ours = {"Vault", "Entry", "Kind", "Dream", "Fold", "Heat", "Attest", "Tier", "Device", "Lane"}
    assert ours | {"Operation", "Trace", "Pattern"} <= set(words)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.name))
def test_no_page_that_is_written_by_hand_uses_our_private_phrases(path: Path) -> None:
    prose = re.sub(r"\s+", " ", without_code(path.read_text()))
    assert path.name == "reference.md" or not [phrase for phrase in PRIVATE if phrase in prose]


def test_the_demo_shows_memories_what_a_prompt_gets_a_lesson_and_silence(reader: Reader) -> None:
    done = reader.run("engrain", "demo")
    assert done.returncode == 0, done.stdout
    saved, first, second = re.split(r"^Session [12]$", done.stdout, flags=re.MULTILINE)
    assert re.match(r"[0-9]{2} memories .*saved", saved)
    assert re.search(r"^prompt +[0-9]+ memor.+\([0-9]+ ms\)$", first, re.MULTILINE)
    lesson = re.search(r"^agent saves +created  (.+)\n +\w{26}  .+\.md$", first, re.MULTILINE)
    assert lesson
    for session in (first, second):  # first comes what the operator always wants
        started = r"^session-start +[0-9]+ memories: Ask before adding a dependency; "
        assert re.search(started, session, re.MULTILINE)
    assert "what the session before learned is among them" in second
    assert second.count("\nprompt        nothing: ") == 2
    assert len(done.stdout.splitlines()) < 40
    left = {path.relative_to(reader.home).as_posix() for path in reader.home.rglob("*")}
    assert not left, "the demo left something behind"


def test_the_backend_that_is_documented_is_found_by_its_name_and_keeps_the_contract(
    reader: Reader,
) -> None:
    for step in read_programs(FILES.read_text()):
        named = re.match(r"# (\w+\.py)\n", step.command)
        assert named, step.command
        (reader.home / named[1]).write_text(step.command)
    about = reader.home / "acme_store-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-store\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[engrain.backends]\nacme = acme_store\n")
    reader.environ["PYTHONPATH"] = f"{reader.home}:{ROOT / 'tests'}"
    vault = ("--vault", str(reader.home / "vault"), "--backend", "acme")
    assert reader.run("engrain", "init", *vault).returncode == 0
    assert "backend: acme (from flag --backend)" in reader.run("engrain", "doctor", *vault).stdout
    contract = reader.run(
        sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.",
        "--import-mode=importlib", "test_acme_store.py",
    )  # fmt: skip
    assert contract.returncode == 0, contract.stdout
    assert re.search(r"[1-9][0-9]+ passed", contract.stdout)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("created  A\n", "created  B\n"),
        ("4 in all\n", "5 in all\n"),
        ("a …\n", "a b\nc\n"),
        ("a\n…\nc\n", "a\nb\n"),
        ("  01m7z8qrep6tehgf43tj44kfk7  a.md\n", "  01m7z8qrep6tehgf43tj44kfk  a.md\n"),
        ("", "a warning\n"),
    ],
)
def test_output_that_differs_from_what_is_shown_is_noticed(shown: str, printed: str) -> None:
    assert not is_shown(shown, printed)


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        ("a\n…\nd\n", "a\nb\nc\nd\n"),
        ("a …\n", "a b c\n"),
        ("1nwsxehw-3  2026-11-21T14:39:02Z  …\n", "hgzzkqaa-3  2027-01-02T03:04:05Z  x\n"),
        ("  01m7z8qrep6tehgf43tj44kfk7  a.md\n", "  02m7z8qrep6tehgf43tj44kfk9  a.md\n"),
        ("in 14 ms\n", "in 103 ms\n"),
    ],
)  # fmt: skip
def test_what_differs_from_run_to_run_may_differ(shown: str, printed: str) -> None:
    assert is_shown(shown, printed)
