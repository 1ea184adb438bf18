"""Sources as they are kept, and their files where they lie. The project of a folder that a
transcript recorded."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, ForbiddenPathError, NotFoundError, UsageError
from engrain.resolution.config_file import sources_file
from engrain.resolution.sources import SourceStore, find_recorded, name_recorded
from engrain.seam.sources import Source, SourceFile


class Device:
    """A device with a vault, a state folder and a home."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {
            "ENGRAIN_CONFIG": str(folder / "config/config.toml"),
            "CLAUDE_CONFIG_DIR": str(folder / "home/.claude"),
            "CODEX_HOME": str(folder / "home/.codex"),
        }
        for name in ("vault", "state", "notes"):
            (folder / name).mkdir()

    def open(self, vault: str = "v1", personal: str | None = None) -> SourceStore:
        closed = (str(self.folder / "vault"), str(self.folder / "state"))
        return SourceStore(self.environ, vault, closed=closed, personal=personal)

    def put(self, name: str, text: str = "Text.\n") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    @property
    def text(self) -> str:
        return Path(sources_file(self.environ)).read_text()


@pytest.fixture
def device(tmp_path: Path) -> Device:
    return Device(Path(os.path.realpath(tmp_path)))


def names(found: Sequence[SourceFile | OSError]) -> list[str]:
    return [file.name for file in found if isinstance(file, SourceFile)]


def problems(found: Sequence[SourceFile | OSError]) -> list[tuple[str, str]]:
    return [(str(one.filename), str(one.strerror)) for one in found if isinstance(one, OSError)]


def test_a_source_is_kept_as_it_was_added(device: Device) -> None:
    source = Source("n", str(device.folder / "notes"), format="notes", trust="operator",
                    project="apollo", match=("*.md",))  # fmt: skip
    device.open().add(source)
    (kept,) = device.open().list()
    for slot in Source.__slots__:
        assert getattr(kept, slot) == getattr(source, slot)


def test_each_vault_has_sources_of_its_own(device: Device) -> None:
    device.open("v1").add(Source("", str(device.folder / "notes")))
    device.open("v2").add(Source("other", str(device.folder / "notes")))
    assert [source.name for source in device.open("v1").list()] == ["notes"]
    device.open("v1").remove("notes")
    assert [source.name for source in device.open("v2").list()] == ["other"]


def test_comments_in_the_file_stay(device: Device) -> None:
    device.open().add(Source("", str(device.folder / "notes")))
    path = Path(sources_file(device.environ))
    path.write_text(device.text.replace('name = "notes"', 'name = "notes" # mine'))
    device.open().add(Source("", str(device.put("b/x.md").parent)))
    assert "# mine" in device.text
    device.open().remove("notes")
    device.open().remove("b")
    assert "[[source]]" not in device.text
    assert device.open().list() == []


def test_names_that_are_not_given_are_free_ones(device: Device) -> None:
    kept = device.open()
    for name in ("notes", "a/notes", "b/Notes", "daily"):
        (device.folder / name).mkdir(parents=True, exist_ok=True)
        kept.add(Source("", str(device.folder / name)))
    assert [source.name for source in kept.list()] == ["notes", "notes-2", "notes-3", "daily-2"]


@pytest.mark.parametrize("name", ["notes", "daily"])
def test_a_name_that_is_taken_is_refused(device: Device, name: str) -> None:
    device.open().add(Source("notes", str(device.folder / "notes")))
    device.put("b/x.md")
    with pytest.raises(UsageError, match="there is a source"):
        device.open().add(Source(name, str(device.folder / "b")))


def test_a_place_that_is_a_source_already_is_refused(device: Device) -> None:
    device.open().add(Source("n", str(device.folder / "notes")))
    with pytest.raises(UsageError, match="is a source already: n"):
        device.open().add(Source("m", str(device.folder / "notes/../notes")))


def test_what_is_not_there_is_refused(device: Device) -> None:
    for path in (device.folder / "nowhere", "a\0b"):
        with pytest.raises(UsageError):
            device.open().add(Source("", str(path)))


def test_a_pipe_and_a_whole_file_system_are_no_sources(device: Device) -> None:
    os.mkfifo(device.folder / "pipe")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        device.open().add(Source("", str(device.folder / "pipe")))
    for use in (device.open().add, lambda source: device.open().place(source.path)):
        with pytest.raises(ForbiddenPathError, match="whole file system"):
            use(Source("", "/"))


@pytest.mark.parametrize("name", ["vault", "vault/below", "state", "notes/link"])
def test_the_vault_and_the_state_are_no_source(device: Device, name: str) -> None:
    (device.folder / "vault/below").mkdir()
    (device.folder / "notes/link").symlink_to(device.folder / "vault")
    with pytest.raises(ForbiddenPathError):
        device.open().add(Source("", str(device.folder / name)))


def test_what_is_hidden_is_no_source_but_where_hosts_keep_their_sessions(device: Device) -> None:
    device.put("home/.ssh/config.txt")
    with pytest.raises(ForbiddenPathError, match=r"\.ssh is hidden"):
        device.open().add(Source("", str(device.folder / "home/.ssh")))
    device.put("home/.claude/projects/p/s.jsonl")
    device.open().add(Source("", str(device.folder / "home/.claude/projects")))


def test_the_operators_own_notes_are_no_source(device: Device) -> None:
    personal = str(device.folder / "notes")
    for path in ("notes", "."):
        with pytest.raises(ForbiddenPathError, match="personal"):
            device.open(personal=personal).add(Source("", str(device.folder / path)))


def test_a_source_that_is_closed_since_is_not_read(device: Device) -> None:
    device.put("notes/a.md")
    source = device.open().add(Source("", str(device.folder / "notes")))
    with pytest.raises(ForbiddenPathError):
        list(device.open(personal=str(device.folder / "notes")).files(source))


def test_removing_what_is_none_is_reported(device: Device) -> None:
    with pytest.raises(NotFoundError, match="no source 'x'"):
        device.open().remove("x")


@pytest.mark.parametrize(
    "text",
    [
        "source = 1",
        "[[source]",
        '[[source]]\nvault = "v1"\nname = "a"',
        '[[source]]\nvault = "v1"\nname = "a"\npath = "/a"\ntrust = "god"',
        '[[source]]\nvault = "v1"\nname = "a"\npath = "/a"\nmatch = "*"',
        '[[source]]\nvault = "v1"\nname = "a"\npath = "/a"\nproject = 1',
    ],
)
def test_a_file_that_was_spoilt_is_reported_with_its_place(device: Device, text: str) -> None:
    device.put("config/sources.toml", text)
    with pytest.raises(ConfigError) as caught:
        device.open().list()
    assert caught.value.path == str(device.folder / "config/sources.toml")


def test_hosts_are_detected_by_their_folders(device: Device) -> None:
    assert device.open().detect() == []
    device.put("home/.codex/sessions/2026/rollout-1.jsonl")
    (found,) = device.open().detect()
    assert (found.host, found.format, found.trust) == ("codex", "codex", "agent")
    assert names(list(device.open().files(found))) == ["2026/rollout-1.jsonl"]


def test_files_are_those_of_every_format_below_in_order(device: Device) -> None:
    for name in ("b.md", "a/c.jsonl", "a/.hidden.md", ".git/x.md", "d.png", "e.TXT", "a.vtt"):
        device.put(f"notes/{name}")
    source = device.open().add(Source("", str(device.folder / "notes")))
    assert names(list(device.open().files(source))) == ["a/c.jsonl", "a.vtt", "b.md", "e.TXT"]


def test_patterns_say_which_files_are_meant(device: Device) -> None:
    for name in ("b.md", "a/c.md", "a/d.txt"):
        device.put(f"notes/{name}")
    source = Source("n", str(device.folder / "notes"), match=("a/*.md", "*.txt"))
    assert names(list(device.open().files(source))) == ["a/c.md", "a/d.txt"]


def test_links_that_lead_out_are_refused_and_the_vault_is_passed_over(device: Device) -> None:
    device.put("secret.md")
    device.put("notes/a.md")
    (device.folder / "notes/out.md").symlink_to(device.folder / "secret.md")
    (device.folder / "notes/again.md").symlink_to(device.folder / "notes/a.md")
    device.put("vault/Memory/x.md")
    whole = Source("w", str(device.folder))
    found = list(device.open().files(Source("n", str(device.folder / "notes"))))
    assert names(found) == ["a.md"]
    assert problems(found) == [(str(device.folder / "notes/out.md"), "a link that leads elsewhere")]
    assert "vault/Memory/x.md" not in names(list(device.open().files(whole)))


def test_a_file_is_read_from_an_offset_on(device: Device) -> None:
    device.put("notes/a.md", "one two")
    source = device.open().add(Source("", str(device.folder / "notes")))
    assert b"".join(device.open().read(source, "a.md", 4)) == b"two"


def test_a_file_that_became_a_link_or_a_pipe_is_not_read(device: Device) -> None:
    device.put("secret.md")
    source = Source("n", str(device.folder / "notes"))
    (device.folder / "notes/a.md").symlink_to(device.folder / "secret.md")
    os.mkfifo(device.folder / "notes/b.md")
    for name in ("a.md", "b.md", "../secret.md", "gone.md"):
        with pytest.raises(OSError):
            list(device.open().read(source, name))
    assert names(list(device.open().files(source))) == []


def test_a_file_by_itself_is_a_source_of_one(device: Device) -> None:
    path = device.put("exports/conversations.json", "[]")
    source = device.open().add(Source("", str(path)))
    assert source.name == "conversations"
    (file,) = device.open().files(source)
    assert isinstance(file, SourceFile)
    assert (file.name, file.size) == ("conversations.json", 2)
    assert b"".join(device.open().read(source, file.name)) == b"[]"


def test_a_source_that_has_gone_is_reported_as_such(device: Device) -> None:
    source = device.open().add(Source("", str(device.folder / "notes")))
    (device.folder / "notes").rmdir()
    assert problems(list(device.open().files(source))) == [
        (source.path, "it is not there any more, or not just now")
    ]


def test_a_place_may_be_hidden_since_somebody_named_it_just_now(device: Device) -> None:
    path = device.put("home/.x/a.md")
    assert names(list(device.open().files(device.open().place(str(path))))) == ["a.md"]
    with pytest.raises(ForbiddenPathError):
        device.open().place(str(device.folder / "vault"))


def test_the_project_of_a_folder_is_that_of_its_repository(device: Device) -> None:
    (device.folder / "shop/.git").mkdir(parents=True)
    assert device.open().find_project(str(device.folder / "shop")) == "shop"
    assert device.open().find_project(str(device.folder / "gone")) == "gone"


PATHS = {
    "/home/ada/src/ferry": "ferry",
    "/home/ada/src/ferry/": "ferry",
    r"C:\Users\ada\code\ferry": "ferry",
    "/home/ada/src/ferry/.claude/worktrees/7f3a": "ferry",
    "/home/ada/src/ferry/.claude/worktrees/login/packages/web": "ferry",
    r"C:\code\ferry\.claude\worktrees\login": "ferry",
    "/home/ada/src/ferry/.worktrees/login": "ferry",
    "/home/ada/src/ferry/.git/worktrees/login": "ferry",
    "/home/ada/src/ferry/worktrees/login": "ferry",
    "/home/ada/src/ferry/.gemini/worktrees/login": "ferry",
    "/home/ada/src/ferry/.trees/login": "ferry",
    "/srv/worktrees/7f3a/ferry": "ferry",
    "/srv/worktrees/ferry": "ferry",
    "/home/ada/.codex/worktrees/7f3a/ferry": "ferry",
    "/home/ada/.codex/worktrees/7f3a/ferry/web": "ferry",
    "/home/ada/.cursor/worktrees/ferry/8xQ2k": "ferry",
    "/Users/ada/.windsurf/worktrees/ferry/x1": "ferry",
    "/home/ada/worktrees/ferry/login": "ferry",
    "/home/ada/src/newt": "newt",
    "/home/ada/src/wt": "wt",
    "/home/ada/src/worktrees": "worktrees",
    "/home/ada": None,
    "/Users/ada": None,
    r"C:\Users\ada": None,
    "/root": None,
    "/": None,
    "C:\\": None,
    "": None,
}


@pytest.mark.parametrize("path", PATHS)
def test_the_path_of_a_missing_folder_names_its_repository(path: str) -> None:
    assert name_recorded(path) == PATHS[path]


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_missing_folder_in_a_repository_that_is_there_is_of_that_repository(
    tmp_path: Path,
) -> None:
    ferry = tmp_path / "ferry"
    subprocess.run(["git", "init", "-q", ferry], check=True)
    assert find_recorded(str(ferry / ".claude" / "worktrees" / "gone" / "web")) == "ferry"
    assert find_recorded(str(ferry / "packages" / "gone")) == "ferry"


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_home_folder_in_git_is_not_the_project_of_what_was_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    assert find_recorded(str(tmp_path / "src" / "ferry")) == "ferry"


def test_a_folder_that_is_there_outside_of_repositories_has_no_project(tmp_path: Path) -> None:
    assert find_recorded(str(tmp_path)) is None
