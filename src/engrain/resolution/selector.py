"""Name the project of a folder, and resolve settings to a store, by name and with clear errors
(S1.2).

A repository is known by what it shares with its clones: the address of its remote, else its first
commit, else the place of git's folder. The first repository of a name claims it, and keeps it when
its folder is renamed or moved; another one of that name gets a longer name. Claims are lines of
this device's state, and of a file for each device in the vault, which synchronises them. Where two
devices claimed one name, the earlier claim counts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from time import time
from typing import TYPE_CHECKING

from engrain.language.text.folding import slugify
from engrain.model.errors import (
    BackendUnavailableError,
    ConfigError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.note.note import hash_bytes
from engrain.resolution.files import (
    LONGEST,
    check_state_dir,
    check_vault,
    detect_project,
    find_git,
    find_sync,
    read_text,
    replace_file,
)
from engrain.resolution.settings import absolute_state_dir, check_on, find_off, load_settings
from engrain.seam.locator import refuse_secrets

if TYPE_CHECKING:
    from engrain.resolution.settings import Setting
    from engrain.seam.personal import Personal, PersonalRequest
    from engrain.seam.storage import BackendRequest, StorageBackend


SHARED = os.path.join(".engrain", "projects")
"""The folder of a vault with a file of claims for each device."""
REMOTE, COMMIT, PLACE = "remote:", "commit:", "folder:"
_MOST = 256 * 1024
"""Characters of one file of claims that are read."""
_DEEPEST = 3
"""The most repositories of one device that are followed as remotes of each other."""
_ALIASES = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com",
            "altssh.bitbucket.org": "bitbucket.org"}  # fmt: skip
"""Hosts that serve SSH on the port of HTTPS."""


class Claims:
    """The names that repositories have claimed, by what identifies each of them."""

    __slots__ = ("_ids", "_owners")

    def __init__(self, lines: Sequence[str]) -> None:
        self._owners: dict[str, set[str]] = {}
        self._ids: dict[str, str] = {}
        for line in sorted(lines):
            _, name, *ids = line.split("\t")
            owners = self._owners.setdefault(name, set())
            if not owners or not owners.isdisjoint(ids):
                owners.update(ids)
                for one in ids:
                    self._ids.setdefault(one, name)

    @property
    def names(self) -> Iterable[str]:
        """All names that are claimed."""
        return self._owners

    def find(self, ids: Sequence[str]) -> str:
        """Return the name of the repository with these ids, the most telling first; "" for none.
        What tells less decides only where nothing of what tells more is known to differ."""
        for at, one in enumerate(ids):
            if name := self._ids.get(one, ""):
                kinds = tuple(id_.partition(":")[0] for id_ in ids[:at])
                if not any(id_.partition(":")[0] in kinds for id_ in self._owners[name]):
                    return name
        return ""

    def knows(self, name: str, ids: Sequence[str]) -> bool:
        """Whether all of these ids are noted for a name."""
        return self._owners.get(name, set()).issuperset(ids)


def name_project(folder: str, location: str, state_dir: str) -> str | None:
    """Return the project of a folder for the vault at `location`, None outside of repositories. A
    repository that is met for the first time claims its name in `state_dir`, if that exists."""
    found = find_git(folder)
    if found is None:
        return None
    ids = identify_repository(found[2])
    claims = Claims(read_claims(location, state_dir))
    name = claims.find(ids)
    if name and claims.knows(name, ids):
        return name
    name = name or _choose_name(detect_project(folder) or "", ids, found[2], claims)
    if name:
        _note_claim(location, state_dir, name, ids)
    return name or None


def read_claims(location: str, state_dir: str) -> list[str]:
    """Return the lines of all claims: those of this device, and those in the vault's folder. Raises
    StorageError where reading fails, since without them a project would get another name."""
    shared = os.path.join(location, SHARED)
    paths = [claims_file(location, state_dir)]
    if os.path.isdir(shared):  # no address, and no vault without claims
        try:
            paths += [os.path.join(shared, name) for name in os.listdir(shared)]
        except (FileNotFoundError, PermissionError):
            pass
        except OSError as error:
            raise StorageError(
                f"the names of projects can't be read: {error.strerror}",
                path=shared,
                remedy="repeat the command; if it fails again, see to the disk",
            ) from None
    texts = (read_text(path, _MOST) or "" for path in paths)
    return [line for text in texts for line in text.split("\n") if line.count("\t") > 1]


def _choose_name(base: str, ids: Sequence[str], common: str, claims: Claims) -> str:
    """Return a free name for the repository of git's folder `common`: `base`, that of its folder,
    else with its owner behind it, with its owner and host, with the folder around it, with a
    number."""
    base = " ".join(base.split())
    if not base or not claims.names:
        return base
    taken = {slugify(name, "project") for name in claims.names}
    host, _, path = ids[0].removeprefix(REMOTE).partition("/")
    owner = path.rpartition("/")[0] if ids[0].startswith(REMOTE) else ""
    folder = os.path.dirname(common) if os.path.basename(common).startswith(".") else common
    around = os.path.basename(os.path.dirname(folder))
    behind = [owner, f"{owner}, {host}" if owner else "", around]
    names = [base, *(f"{base} ({one})" for one in behind if one)]
    names += [f"{base} ({number})" for number in range(2, 100)]
    return next((one for one in names if slugify(one, "project") not in taken), base)


def _note_claim(location: str, state_dir: str, name: str, ids: Sequence[str]) -> None:
    """Add a claim to this device's file, if the state is there; nothing depends on it."""
    if not os.path.isdir(state_dir):
        return
    path = claims_file(location, state_dir)
    line = "\t".join([f"{time():017.6f}", name, *ids]) + "\n"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
        file = os.open(path, flags, 0o600)
        try:
            os.write(file, line.encode(errors="replace"))
        finally:
            os.close(file)
    except OSError:
        return


def share_claims(location: str, state_dir: str, device: str) -> None:
    """Copy this device's claims into the vault's folder, where they are new; nothing depends on
    it."""
    own = read_text(claims_file(location, state_dir), _MOST)
    if not own or not os.path.isdir(os.path.join(location, ".engrain")):
        return
    path = os.path.join(location, SHARED, f"{device}.txt")
    if os.path.realpath(path) != os.path.join(os.path.realpath(location), SHARED, f"{device}.txt"):
        return  # a link leads out of the vault
    if read_text(path, _MOST) == own:
        return
    try:
        replace_file(path, own, durable=False)
    except OSError:
        return


def claims_file(location: str, state_dir: str) -> str:
    """Return this device's file of claims for a vault."""
    return os.path.join(state_dir, "projects", hash_bytes(location.encode(errors="replace"))[:16])


def identify_repository(common: str, depth: int = 0) -> list[str]:
    """Return what identifies the repository of git's folder `common`, the most telling first."""
    real = os.path.realpath(common)
    # The vault need not know where the repositories of a device are.
    place = f"{PLACE}{hash_bytes(real.encode(errors='replace'))[:16]}"
    url = _find_remote(common)
    if url and (remote := normalise_remote(url)):
        return [f"{REMOTE}{remote}", *_find_commit(common), place]
    other = _find_local(url, common) if url and depth < _DEEPEST else ""
    if other and os.path.realpath(other) != real:
        # A clone of a repository on this device is that repository.
        return [*identify_repository(other, depth + 1), place]
    return [*_find_clone(common), *_find_commit(common), place]


def normalise_remote(url: str) -> str:
    """Return a remote's address as `host/path`, whatever the protocol, the user, the port and the
    case of the host; "" for a repository on this device."""
    scheme, marked, rest = url.partition("://")
    if not marked:
        # `host:path`, unless a slash comes first, or the host is a drive of Windows.
        host, colon, path = url.partition(":")
        if not colon or "/" in host or "\\" in host or len(host) < 2:
            return ""
    elif scheme.lower() == "file":
        return ""
    else:
        host, _, path = rest.partition("/")
        at = host.rfind("@")
        bracket = host.rfind("]")
        port = host.find(":", max(at, bracket) + 1)
        host = host[:port] if port >= 0 else host
    host = host.rpartition("@")[2].lower().rstrip(".")
    path = path.partition("?")[0].partition("#")[0].strip("/").removeprefix("~")
    path = "/".join(part for part in path.split("/") if part).removesuffix(".git")
    return f"{_ALIASES.get(host, host)}/{path}" if host and path else ""


def _find_remote(common: str) -> str:
    """Return the address of the remote `origin`, else of the only or first other one."""
    remotes: dict[str, str] = {}
    name = ""
    for line in (read_text(os.path.join(common, "config"), _MOST) or "").splitlines():
        line = line.strip()
        if line.startswith("["):
            section, _, rest = line[1:].partition('"')
            name = rest.partition('"')[0] if section.strip().lower() == "remote" else ""
        elif name and line[:3].lower() == "url":
            key, equals, value = line.partition("=")
            if equals and key.strip().lower() == "url":
                remotes.setdefault(name, value.strip().strip('"'))
    return remotes.get("origin") or (remotes[min(remotes)] if remotes else "")


def _find_local(url: str, common: str) -> str:
    """Return git's folder of a remote that is a folder on this device, "" if it is not there."""
    path = url[len("file://") :] if url[:7].lower() == "file://" else url
    base = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    path = os.path.normpath(os.path.join(base, os.path.expanduser(path)))
    for one in (os.path.join(path, ".git"), path, f"{path}.git"):
        if os.path.isfile(os.path.join(one, "HEAD")):
            return one
        if os.path.isfile(one) and (found := find_git(path)):
            return found[2]
    return ""


def _find_commit(common: str) -> list[str]:
    """Return the first commit, if it was made in this repository or a copy of it and git's log of
    the head still says so."""
    before, commit, said = _read_first(common)
    return [f"{COMMIT}{commit}"] if before and not said.startswith("clone:") else []


def _find_clone(common: str) -> list[str]:
    """Return the remote from which a repository was cloned, which it names no more."""
    before, _, said = _read_first(common)
    cloned = said.startswith("clone: from ") and before
    remote = normalise_remote(said.removeprefix("clone: from ").strip()) if cloned else ""
    return [f"{REMOTE}{remote}"] if remote else []


def _read_first(common: str) -> tuple[bool, str, str]:
    """Return of the first line in git's log of the head whether nothing came before it, its commit,
    and what was done."""
    text = read_text(os.path.join(common, "logs", "HEAD"), LONGEST) or ""
    line = text.partition("\n")[0]
    before, _, rest = line.partition(" ")
    return bool(before) and not before.strip("0"), rest.partition(" ")[0], line.rpartition("\t")[2]


BUILT_IN = {
    "ram": "engrain.backends.ram",
    "device-local": "engrain.backends.device_local",
    "obsidian-vault": "engrain.backends.obsidian",
}
PACKAGED = ("postgres", "postgresql")
"""The backends of the package `engrain-team`."""
PERSONAL_FOLDER = "engrain.backends.personal"
"""The module that opens the operator's own notes."""

ENTRY_POINTS = "engrain.backends"
"""The entry points of other backends, `name = "module"`; the module has `open_backend(request)`."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_SCHEME = _LETTERS | frozenset("0123456789+.-")

_PROJECT = "ENGRAIN_PROJECT"


@dataclass(slots=True, eq=False)
class Resolution:
    """The store of a call. `reasons` are lines for a person; `off` says what switches memory off
    here, "" if nothing."""

    location: str
    backend: str
    state_dir: str
    project: str | None
    settings: dict[str, Setting]
    reasons: list[str]
    _: KW_ONLY
    off: str = ""

    @property
    def agent(self) -> str:
        """Return the name of the writing agent, "" for none."""
        return self.settings["agent"].value or ""


def resolve(flags: Mapping[str, str | None], environ: Mapping[str, str], folder: str) -> Resolution:
    """Return the store of these flags and this environment, seen from `folder`. Raises
    VaultUnavailableError if no vault is configured, ConfigError, StateLocationError."""
    settings = load_settings(flags, environ, folder)
    vault = settings["vault"]
    if not vault.value:
        raise VaultUnavailableError(
            "no vault is configured",
            remedy="run `engrain init FOLDER`, or set ENGRAIN_VAULT or --vault",
        )
    location = absolute_location(vault.value)
    if address := _is_address(location):
        refuse_secrets(location)
    backend, why = _choose_backend(settings["backend"], location, address)
    state = settings["state_dir"]
    state_dir = absolute_state_dir(state.value, environ)
    check_state_dir(state_dir, None if address else location)
    if (root := settings["personal.root"].value) and not address:
        check_vault(location, root)
    project, whence = _choose_project(settings["project"], folder, location, state_dir)
    reasons = [
        f"vault: {location} (from {vault.origin})",
        f"backend: {backend} ({why})",
        f"state: {state_dir} (from {state.origin})",
        f"project: {project or 'none'} ({whence})",
    ]
    if off := find_off(settings, folder):
        reasons.append(f"memory: off, {off}")
    return Resolution(location, backend, state_dir, project, settings, reasons, off=off)


def find_project(
    named: str, environ: Mapping[str, str], folder: str, place: Resolution | None = None
) -> str | None:
    """Return the project of an agent's call from `folder`, for the vault of `place`, else for the
    configured one; `named` is one given explicitly, "" for none. Raises MemoryOffError if memory is
    off there, ConfigError."""
    settings = load_settings({"project": named}, environ, folder)
    check_on(settings, folder)
    if place is not None:
        location, state_dir = place.location, place.state_dir
    else:
        vault = settings["vault"].value
        location = absolute_location(vault) if vault else ""
        state_dir = absolute_state_dir(settings["state_dir"].value, environ)
    return _choose_project(settings["project"], folder, location, state_dir)[0]


def find_folder_project(
    environ: Mapping[str, str], folder: str, place: Resolution | None = None
) -> str | None:
    """Return the project of past sessions in a folder that is there, for the vault of `place`, else
    for the configured one. The project that this environment names is not theirs. None also where
    the settings there can't be read."""
    around = {
        name: value for name, value in environ.items() if name not in (_PROJECT, "ENGRAIN_MEMORY")
    }
    try:
        return find_project("", {**around, "ENGRAIN_MEMORY": "on"}, folder, place)
    except ConfigError:
        return None


def absolute_location(location: str) -> str:
    """Return a folder as an absolute path, an address unchanged."""
    if _is_address(location):
        return location
    return os.path.abspath(os.path.expanduser(location))


def _is_address(location: str) -> bool:
    """Whether a location names its backend (`ram:notes`); a drive of Windows has only one
    letter."""
    scheme, colon, _ = location.partition(":")
    return bool(colon) and len(scheme) > 1 and scheme[0] in _LETTERS and _SCHEME.issuperset(scheme)


def load_backend(
    name: str, list_packaged: Callable[[], Mapping[str, str]]
) -> Callable[[BackendRequest], StorageBackend]:
    """Return the opener of a backend. `list_packaged` returns the modules of other packages'
    backends by name. Raises BackendUnavailableError; there is no fallback."""
    module = BUILT_IN.get(name) or _find_packaged(name, list_packaged())
    try:
        opener: Callable[[BackendRequest], StorageBackend] = import_module(module).open_backend
    except (ImportError, AttributeError) as error:
        raise BackendUnavailableError(
            f"backend {name!r} can't be loaded: {error}", remedy="install what it needs"
        ) from None
    return opener


def load_personal() -> Callable[[PersonalRequest], Personal]:
    """Return the opener of the operator's own notes."""
    opener: Callable[[PersonalRequest], Personal] = import_module(PERSONAL_FOLDER).open_personal
    return opener


def _choose_backend(setting: Setting, location: str, address: bool) -> tuple[str, str]:
    if setting.value and setting.value != "auto":
        return setting.value, f"from {setting.origin}"
    if address:
        scheme = location.partition(":")[0]
        return scheme, f"the vault is an address of {scheme}"
    if found := find_sync(location):
        return "obsidian-vault", f"{found[0]} is {found[1]}"
    return "device-local", "nothing synchronises the folder"


def _choose_project(
    setting: Setting, folder: str, location: str, state_dir: str
) -> tuple[str | None, str]:
    if setting.value:
        return setting.value, f"from {setting.origin}"
    project = name_project(folder, location, state_dir)
    return project, f"the git repository around {folder}" if project else "not in one"


def _find_packaged(name: str, found: Mapping[str, str]) -> str:
    if name not in found and name in PACKAGED:
        raise BackendUnavailableError(
            f"a {name} address needs the package engrain-team, which is not installed",
            remedy="install engrain-team from where you have engrain",
        )
    if name not in found:
        raise BackendUnavailableError(
            f"no backend named {name!r}",
            remedy="choose one of " + ", ".join([*BUILT_IN, *sorted(found)]),
        )
    return found[name]
