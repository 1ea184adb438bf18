"""A project is its repository, not the name of its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engrain.resolution.selector import name_project, normalise_remote, share_claims
from unit.resolution.test_project import git

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

SAME = [
    "git@example.com:acme/api.git",
    "git@EXAMPLE.com:acme/api",
    "ssh://git@example.com/acme/api.git",
    "ssh://git@example.com:2222/acme/api.git/",
    "https://example.com/acme/api",
    "https://ada:secret@example.com:8443/acme/api.git",
    "http://example.com/acme/api.git",
    "git://example.com/acme/api.git",
    "example.com:acme/api",
    "git+ssh://example.com/acme/api",
]


class Device:
    """A device with a vault and state of its own."""

    def __init__(self, folder: Path, vault: Path) -> None:
        self.folder = folder
        self.vault = vault
        self.state = folder / "state"
        self.state.mkdir(parents=True)
        (vault / ".engrain").mkdir(parents=True, exist_ok=True)

    def repo(self, name: str, remote: str = "", *, commit: bool = False) -> Path:
        path = self.folder / name
        git(path, "init", "-q")
        if remote:
            git(path, "remote", "add", "origin", remote)
        if commit:
            git(path, "commit", "-q", "--allow-empty", "-m", name)
        return path

    def name(self, folder: Path) -> str | None:
        return name_project(str(folder), str(self.vault), str(self.state))

    def share(self) -> None:
        share_claims(str(self.vault), str(self.state), self.folder.name)


@pytest.fixture
def device(tmp_path: Path) -> Device:
    return Device(tmp_path / "a", tmp_path / "vault")


@pytest.mark.parametrize("url", SAME)
def test_a_remote_is_the_same_by_every_protocol(url: str) -> None:
    assert normalise_remote(url) == "example.com/acme/api"


@pytest.mark.parametrize(
    "url",
    ["git@example.com:ada/api.git", "git@example.org:acme/api.git", "https://example.com/acme/app"],
)
def test_another_owner_host_or_name_is_another_remote(url: str) -> None:
    assert normalise_remote(url) not in ("", "example.com/acme/api")


@pytest.mark.parametrize("url", ["/srv/git/api.git", "../api", "file:///srv/api", "C:\\git\\api"])
def test_a_folder_is_no_remote(url: str) -> None:
    assert normalise_remote(url) == ""


@pytest.mark.parametrize("commit", [True, False])
def test_two_repositories_of_one_name_are_two_projects(device: Device, commit: bool) -> None:
    work, private = (device.repo(f"{name}/api", commit=commit) for name in ("work", "private"))
    assert device.name(work) == "api"
    assert device.name(private) == "api (private)"
    assert (device.name(work), device.name(private)) == ("api", "api (private)")


def test_remotes_part_repositories_and_name_their_owner(device: Device) -> None:
    work = device.repo("work/api", SAME[0])
    private = device.repo("private/api", "git@example.com:ada/api.git")
    other = device.repo("other/api", "git@example.org:ada/api.git")
    names = [device.name(one) for one in (work, private, other)]
    assert names == ["api", "api (ada)", "api (ada, example.org)"]


def test_a_clone_a_renamed_folder_and_a_worktree_keep_the_name(device: Device) -> None:
    work = device.repo("work/api", SAME[0], commit=True)
    assert device.name(work) == "api"
    assert device.name(device.repo("elsewhere/api-2", SAME[4])) == "api"
    git(work, "worktree", "add", "-q", str(device.folder / "topic"))
    assert device.name(device.folder / "topic") == "api"
    moved = work.rename(device.folder / "backend")
    assert device.name(moved) == "api"


def test_without_a_remote_the_first_commit_tells(device: Device) -> None:
    work = device.repo("work/api", commit=True)
    assert device.name(work) == "api"
    git(device.folder, "clone", "-q", str(work), "copy")
    assert device.name(device.folder / "copy") == "api"
    moved = work.rename(device.folder / "backend")
    assert device.name(moved) == "api"
    other = device.repo("work/api")
    git(other, "commit", "-q", "--allow-empty", "-m", "another")
    assert device.name(other) == "api (work)"


def test_a_repository_that_gets_commits_and_a_remote_stays_itself(device: Device) -> None:
    api = device.repo("work/api")
    assert device.name(api) == "api"
    git(api, "commit", "-q", "--allow-empty", "-m", "first")
    assert device.name(api) == "api"
    git(api, "remote", "add", "origin", SAME[0])
    assert device.name(api) == "api"
    assert device.name(device.repo("elsewhere/api", SAME[3])) == "api"
    assert device.name(device.repo("private/api", "git@example.com:ada/api.git")) == "api (ada)"


def test_another_repository_at_the_same_place_is_another_project(device: Device) -> None:
    assert device.name(device.repo("api", SAME[0])) == "api"
    shutil.rmtree(device.folder / "api")
    assert device.name(device.repo("api", "git@example.com:ada/api.git")) == "api (ada)"


def test_names_that_would_share_a_folder_of_the_vault_are_kept_apart(device: Device) -> None:
    assert device.name(device.repo("a/API", SAME[0])) == "API"
    assert device.name(device.repo("b/api", "git@example.com:ada/api.git")) == "api (ada)"
    assert device.name(device.repo("api-ada", "git@example.com:x/api-ada.git")) == "api-ada (x)"


def test_claims_come_to_other_devices_with_the_vault(device: Device, tmp_path: Path) -> None:
    assert device.name(device.repo("work/api", SAME[0])) == "api"
    device.share()
    other = Device(tmp_path / "b", device.vault)
    assert other.name(other.repo("api", "git@example.com:ada/api.git")) == "api (ada)"
    assert other.name(other.repo("backend", SAME[2])) == "api"


def test_of_two_devices_that_claimed_a_name_the_first_keeps_it(tmp_path: Path) -> None:
    devices = [Device(tmp_path / name, tmp_path / f"vault-{name}") for name in ("a", "b")]
    work = devices[0].repo("api", SAME[0])
    private = devices[1].repo("api", "git@example.com:ada/api.git")
    assert [devices[0].name(work), devices[1].name(private)] == ["api", "api"]
    for one in devices:
        one.share()
        one.vault = devices[0].vault
    shutil.copytree(
        tmp_path / "vault-b" / ".engrain", devices[0].vault / ".engrain", dirs_exist_ok=True
    )
    assert [devices[0].name(work), devices[1].name(private)] == ["api", "api (ada)"]


def test_no_secret_and_no_path_is_shared(device: Device) -> None:
    device.name(device.repo("work/api", SAME[5]))
    device.share()
    (file,) = (device.vault / ".engrain" / "projects").iterdir()
    assert "example.com/acme/api" in file.read_text()
    assert "secret" not in file.read_text()
    assert str(device.folder) not in file.read_text()


def test_a_link_out_of_the_vault_is_not_followed(device: Device, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (device.vault / ".engrain" / "projects").symlink_to(elsewhere)
    device.name(device.repo("api", SAME[0]))
    device.share()
    assert list(elsewhere.iterdir()) == []


def test_without_state_nothing_is_written(device: Device) -> None:
    api = device.repo("api", SAME[0])
    device.state.rmdir()
    assert device.name(api) == "api"
    assert not device.state.exists()


def test_a_broken_file_of_claims_is_left_out(device: Device) -> None:
    folder = device.vault / ".engrain" / "projects"
    folder.mkdir()
    (folder / "x.txt").write_bytes(b"\xff\x00\n\t\n")
    (folder / "y.txt").write_text("no claim\n\t\t\n1\tapi\n")
    assert device.name(device.repo("api", SAME[0])) == "api"
