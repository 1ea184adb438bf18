"""The configuration once more as lines: what it says is the file's own, or nothing (S1.22)."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engrain.resolution.settings import identify, read_flat, write_flat

SETTINGS = {"vault": "/home/you/memory", "agent": "", "embedder_url": "http://h/v1?a=b&c=d"}
IDENTITY = "1 2 3 4 /home/you/config.toml"


@pytest.fixture
def flat(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "settings")


def test_what_was_kept_is_read(flat: str) -> None:
    write_flat(flat, IDENTITY, SETTINGS)
    assert read_flat(flat, IDENTITY) == SETTINGS
    write_flat(flat, IDENTITY, {})
    assert read_flat(flat, IDENTITY) == {}


names = st.text(st.sampled_from("abc_"), min_size=1, max_size=5)


@given(
    settings=st.dictionaries(names, st.text(st.characters())),
    path=st.text(st.characters(), min_size=1),
)
@example({"a": "b\nc=d"}, "/x")
@example({"a": "b\r"}, "/x")
@example({"a": "b\x85c\u2028d\x1ee"}, "/x")
@example({"a": "b"}, "/x\n")
@example({"a": "b"}, "/\udcff")
@example({"a": "\ud800"}, "/x")
def test_what_is_read_is_what_was_kept_or_nothing(settings: dict[str, str], path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        flat = os.path.join(folder, "settings")
        write_flat(flat, f"1 2 3 4 {path}", settings)
        assert read_flat(flat, f"1 2 3 4 {path}") in (settings, None)
        assert os.listdir(folder) in (["settings"], []), "nothing half made is left"


@given(identity=st.text().filter(lambda text: text != IDENTITY))
@example("")
@example(IDENTITY + " ")
def test_what_is_of_another_file_or_version_is_not_read(identity: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        flat = os.path.join(folder, "settings")
        write_flat(flat, IDENTITY, SETTINGS)
        assert read_flat(flat, identity) is None


def test_of_no_file_nothing_is_kept(flat: str) -> None:
    write_flat(flat, "", SETTINGS)
    assert not os.path.exists(flat)
    assert read_flat(flat, "") is None


def test_lines_of_which_the_last_was_cut_short_are_not_read(flat: str) -> None:
    write_flat(flat, IDENTITY, {"vault": "/v", "agent": "a", "project": "p"})
    raw = Path(flat).read_bytes()
    for end in range(len(raw)):
        if not raw[:end].endswith(b"\n"):
            Path(flat).write_bytes(raw[:end])
            assert read_flat(flat, IDENTITY) is None


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xff\xfe\n", b"\0" * 100, b"x" * 200_000])
@pytest.mark.parametrize("first", ["", IDENTITY], ids=["nobody's", "its own"])
def test_garbage_is_not_read(flat: str, first: str, raw: bytes) -> None:
    os.makedirs(os.path.dirname(flat))
    Path(flat).write_bytes(first.encode() + raw)
    assert not read_flat(flat, IDENTITY)


def test_a_folder_in_its_place_is_left_alone(flat: str) -> None:
    os.makedirs(flat)
    write_flat(flat, IDENTITY, SETTINGS)
    assert read_flat(flat, IDENTITY) is None
    assert os.listdir(os.path.dirname(flat)) == ["settings"], "nothing half made is left"


def test_where_nothing_can_be_made_nothing_is_kept(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    flat = str(tmp_path / "file" / "settings")
    write_flat(flat, IDENTITY, SETTINGS)
    assert read_flat(flat, IDENTITY) is None


FULL_DISK = """
import resource, signal, sys
from engrain.resolution.settings import write_flat
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
write_flat(sys.argv[1], sys.argv[2], {"vault": "/v", "agent": "a"})
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_with_a_full_disk_no_setting_is_left_out(flat: str) -> None:
    room = len(f"{IDENTITY}\nvault=/v\n")
    subprocess.run([sys.executable, "-c", FULL_DISK, flat, IDENTITY, str(room)], check=True)
    assert read_flat(flat, IDENTITY) is None


def test_nobody_else_can_read_what_is_kept(flat: str) -> None:
    write_flat(flat, IDENTITY, SETTINGS)
    assert os.stat(flat).st_mode & 0o777 == 0o600


def test_a_file_has_another_identity_after_every_change(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    assert identify(str(path)) == ""
    seen = set()
    for text in ("vault = '/a'", "vault = '/a'\n", ""):
        path.write_text(text)
        seen.add(identify(str(path)))
    for number in range(3):
        (tmp_path / "new").write_text(f"vault = '/{number}'")
        os.utime(tmp_path / "new", (1.0, 1.0))
        (tmp_path / "new").replace(path)
        seen.add(identify(str(path)))
    other = tmp_path / "other.toml"
    os.link(path, other)
    seen.add(identify(str(other)))
    assert len(seen) == 7
    assert identify(str(path)) == identify(str(path))
