"""The file of compiled modules: used where it fits, left alone where it does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engrain

ASK = (
    "import sys; from engrain.compiled import PATH, install; found = install();"
    "import engrain.model.errors as e, engrain.adapters as a;"
    "print(e.__cached__ == PATH, found.is_stale, a.__path__[0] == sys.argv[1], hasattr(e, 'NEW'))"
)
FILE = f"__pycache__/hot_path.{sys.implementation.cache_tag}.bin"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with such a file."""
    copy = tmp_path / "engrain"
    source = Path(engrain.__file__).parent
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("*.bin.*", "hot_path.*.bin"))
    run(copy, "-m", "engrain", "--version")
    assert (copy / FILE).exists()
    return copy


def run(package: Path, *arguments: str, **more: str) -> str:
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [sys.executable, *arguments],
        env=kept | {"PYTHONPATH": str(package.parent)} | more,
        cwd=package.parent,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def ask(package: Path) -> str:
    """Whether a module comes from the file, whether that is stale, whether packages have their
    folder, and whether the module is the new one."""
    return run(package, "-c", ASK, str(package / "adapters"))


def change_source(package: Path) -> None:
    with (package / "model" / "errors.py").open("a") as file:
        file.write("NEW = True\n")


def test_modules_come_from_the_file(package: Path) -> None:
    assert ask(package) == "True False True False\n"


def test_a_changed_source_is_imported_as_it_is_now(package: Path) -> None:
    change_source(package)
    assert ask(package) == "False True True True\n"


def test_the_next_command_writes_the_file_anew(package: Path) -> None:
    change_source(package)
    assert run(package, "-m", "engrain", "--version") == f"engrain {engrain.__version__}\n"
    assert ask(package) == "True False True True\n"


def test_nothing_is_written_where_python_writes_no_compiled_files(package: Path) -> None:
    (package / FILE).unlink()
    run(package, "-m", "engrain", "--version", PYTHONDONTWRITEBYTECODE="1")
    assert not (package / FILE).exists()


@pytest.mark.parametrize("size", [0, 4, 7, 100, 20_000, 100_000, -1])
def test_a_file_that_was_cut_short_does_no_harm(package: Path, size: int) -> None:
    raw = (package / FILE).read_bytes()
    (package / FILE).write_bytes(raw[:size])
    assert run(package, "-m", "engrain", "--version") == f"engrain {engrain.__version__}\n"
    assert ask(package).endswith("True False\n")


def test_a_file_of_another_interpreter_or_place_is_not_used(package: Path) -> None:
    raw = (package / FILE).read_bytes()
    (package / FILE).write_bytes(b"\0" + raw[1:])
    assert ask(package) == "False True True False\n"
    (package / FILE).write_bytes(raw)
    moved = package.parent / "moved" / "engrain"
    shutil.copytree(package, moved)
    assert ask(moved) == "False True True False\n"


def test_a_closed_standard_stream_does_not_become_the_file(package: Path) -> None:
    command = f'"{sys.executable}" -m engrain save - --vault v <&-'
    kept = os.environ | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run(["sh", "-c", command], env=kept, cwd=package.parent, capture_output=True)
    assert b"hot_path" not in done.stdout + done.stderr
    assert b"Traceback" not in done.stderr


def test_patterns_come_from_the_file_and_changed_ones_are_compiled_as_they_are_now(
    package: Path,
) -> None:
    code = (
        f"import sys; sys.path.append({str(package.parent)!r});"
        "from engrain.compiled import install; install();"
        "from engrain.language.text import folding; words = sorted(folding.words_of('\xc4b cd'));"
        "print(words, 're' in sys.modules)"
    )
    assert run(package, "-I", "-S", "-c", code) == "['cd', 'äb'] False\n"
    source = package / "language" / "text" / "folding.py"
    source.write_text(source.read_text().replace(r'late(r"\w+|', r'late(r"[c-z]+|'))
    assert run(package, "-I", "-S", "-c", code) == "['cd'] True\n"
