"""The composition root, the only module that joins settings, backend, index and verbs."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

from engrain.api.memory import Memory
from engrain.engine.core.store import Actor, Device, Models, Store, Vault
from engrain.engine.core.vectors import Vectors
from engrain.index.connection import BUSY_MS
from engrain.index.sqlite_index import SearchIndex
from engrain.model.errors import UsageError
from engrain.model.note.field import Field
from engrain.model.note.note import READERS
from engrain.resolution.device import DeviceFile, find_keys
from engrain.resolution.files import acquire_lock_file, check_source, read_date, release_lock_file
from engrain.resolution.selector import (
    ENTRY_POINTS,
    Resolution,
    find_folder_project,
    load_backend,
    load_personal,
    resolve,
    share_claims,
)
from engrain.resolution.settings import read_whole_number, user_config_file
from engrain.seam.storage import BackendRequest, NoAttestor
from engrain.state.journals import SessionJournal

if TYPE_CHECKING:
    from engrain.api.async_memory import AsyncMemory
    from engrain.engine.core.upkeep import IndexUpkeep
    from engrain.index.vectors.vectors import VectorIndex
    from engrain.inference.local import PackagedModel
    from engrain.resolution.fetching import ApprovedPlaces
    from engrain.resolution.sources import SourceStore
    from engrain.seam.clock import Clock, Entropy
    from engrain.seam.derived import Guard
    from engrain.seam.embedder import Embedder, EmbedderLink
    from engrain.seam.llm import LLM
    from engrain.seam.locator import Locator
    from engrain.seam.personal import Personal
    from engrain.seam.storage import Attestor, StorageBackend


def _read_other_forms(text: str) -> dict[str, Field]:
    from engrain.model.note.reader import read_fields  # libyaml is not for a cold process

    return read_fields(text)


READERS.append(_read_other_forms)

_EMBEDDING_S = 5.0
"""The seconds that a process which wrote many entries spends on their vectors before it ends."""
_COLD_PATIENCE_MS = 30
"""Milliseconds that a cold process waits for another writer of the index."""


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()


class SystemEntropy:
    """The operating system's random bytes."""

    def draw(self, size: int) -> bytes:
        return os.urandom(size)


class _Open:
    """An opened store, and the situation for which it was resolved (see `_situation`)."""

    __slots__ = ("location", "situation", "store")

    def __init__(self, location: str, store: Store) -> None:
        self.location = location
        self.situation = _situation(location)
        self.store = store


class Opener:
    """Returns the open store when called; reopens it first if another store is meant by now."""

    def __init__(
        self,
        flags: dict[str, str | None],
        actor: Actor,
        clock: Clock,
        entropy: Entropy,
        create: bool,
        *,
        cold: bool = False,
        keys_dir: str | None = None,
        served: bool = False,
    ) -> None:
        self._served = served
        self._keys_dir = keys_dir
        self._cold = cold
        self._flags = flags
        self._actor = actor
        self._clock = clock
        self._entropy = entropy
        self._create = create
        self._lock = Lock()
        self._open: _Open | None = None
        self._process = os.getpid()
        self._inherited: list[_Open | None] = []

    def __call__(self) -> Store:
        self._close_in_child()
        with self._lock:
            if self._open is None or self._open.situation != _situation(self._open.location):
                self._close()
                resolution = self._resolve()
                self._open = _Open(resolution.location, self._open_store(resolution))
                # If the vault vanishes later, that is an error, and no new vault is made.
                self._create = False
            return self._open.store

    def _open_folder(self, backend: str, folder: str) -> StorageBackend:
        """Open a folder of notes for reading. Raises ForbiddenPathError for the operator's own
        notes, UsageError for what is no path."""
        try:
            location = os.path.realpath(os.path.expanduser(folder))
        except ValueError:  # a NUL character or a lone surrogate
            raise UsageError(
                f"{folder[:80]!a} is no folder", remedy="give a folder's path"
            ) from None
        resolution = self._resolve()
        check_source(location, resolution.settings["personal.root"].value, resolution.location)
        request = BackendRequest(
            location, state=None, device="", entropy=self._entropy.draw, read_only=True
        )
        source = load_backend(backend, list_packaged)(request)
        source.date_of = lambda locator: read_date(os.path.join(location, locator))
        return source

    def open_personal(self) -> Personal:
        """Return the operator's own notes, below the root that is configured now."""
        from engrain.engine.core.redaction import clean_text
        from engrain.seam.personal import PersonalRequest

        store = self()
        resolution = self._resolve()
        request = PersonalRequest(
            resolution.settings["personal.root"].value,
            closed=(resolution.location, resolution.state_dir),
            state=os.path.join(resolution.state_dir, "vaults", store.backend.key, "personal"),
            agent=store.actor.agent,
            clock=self._clock,
            entropy=self._entropy,
            redact=lambda text: clean_text(store, text),
        )
        return load_personal()(request)

    def close(self) -> None:
        self._close_in_child()
        with self._lock:
            self._close()

    def _close_in_child(self) -> None:
        """In a forked child, leave what is open to its parent: threads that are not in the child
        may hold its locks, and two processes may not share a connection of SQLite."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._lock = Lock()
            self._inherited.append(self._open)  # closing it would take the parent's locks away
            self._open = None

    def _resolve(self) -> Resolution:
        return resolve(self._flags, os.environ, os.getcwd())

    def _close(self) -> None:
        if self._open is not None:
            store = self._open.store
            self._open = None
            upkeep = store.vault.upkeep
            if upkeep is not None:
                upkeep.flush()
                if upkeep.wrote_much and store.models.vectors.wanted and not self._served:
                    self._embed(store, upkeep)
            store.models.vectors.close()
            store.index.close()
            store.device.close()
            store.backend.close()

    @staticmethod
    def _embed(store: Store, upkeep: IndexUpkeep) -> None:
        """Embed some of what was written."""
        from engrain.engine.recall.embedding import embed_within

        if upkeep.ensure() is None:
            embed_within(store, _EMBEDDING_S)

    def _open_store(self, resolution: Resolution) -> Store:
        backend, attestor = self._open_backend(resolution, create=self._create)
        if not self._cold:
            share_claims(resolution.location, resolution.state_dir, backend.device)
        state = os.path.join(resolution.state_dir, "vaults", backend.key)
        patience = _COLD_PATIENCE_MS if self._cold else BUSY_MS
        index = SearchIndex(os.path.join(state, "index"), self._clock, patience_ms=patience)
        vectors = _make_vectors(state, resolution, self._cold, self._served)
        device = Device(
            state,
            SessionJournal(os.path.join(state, "sessions")),
            self._open_folder,
            lambda: _open_sources(backend, resolution),
            lambda: _open_outside(backend),
        )
        llm, agent = _make_llms(resolution, device, self._clock)
        return Store(
            Vault(backend, index, attestor or NoAttestor(), _make_guard, _merge_copies),
            device,
            Models(vectors, llm, agent),
            self._clock,
            self._entropy,
            Actor(self._actor.agent or resolution.agent, self._actor.trust),
            resolution.project,
            settings={name: setting.value for name, setting in resolution.settings.items()},
            profile=resolution.settings["profile"].value,
            budget=read_whole_number(resolution.settings, "budget"),
        )

    def _open_backend(
        self, resolution: Resolution, *, create: bool, vault: str = "", moved_to: str = ""
    ) -> tuple[StorageBackend, Attestor | None]:
        opener = load_backend(resolution.backend, list_packaged)
        identity = DeviceFile(resolution.state_dir, self._entropy.draw)
        attestor = find_keys(
            os.environ, resolution.location, self._entropy.draw, folder=self._keys_dir
        )
        request = BackendRequest(
            resolution.location,
            state=os.path.join(resolution.state_dir, "vaults"),
            device=identity.read() or identity.renew(""),
            entropy=self._entropy.draw,
            create=create,
            attestor=attestor or NoAttestor(),
            identity=identity,
            vault=vault,
            moved_to=moved_to,
        )
        return opener(request), attestor


def open_alone(
    vault: str | None,
    *,
    state_dir: str | None = None,
    create: bool = False,
    id: str = "",  # noqa: A002
    moved_to: str = "",
) -> StorageBackend:
    """Open a store, resolved as in `open_memory`, without an index. A new store gets this `id`; a
    store that has moved to `moved_to` is opened nevertheless. Raises VaultUnavailableError."""
    flags = {"vault": vault, "state_dir": state_dir}
    opener = Opener(flags, Actor("", "agent"), SystemClock(), SystemEntropy(), create)
    return opener._open_backend(opener._resolve(), create=create, vault=id, moved_to=moved_to)[0]


def open_memory(
    vault: str | os.PathLike[str] | None = None,
    *,
    state_dir: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    project: str | None = None,
    agent: str = "",
    trust: str = "agent",
    create: bool = False,
    clock: Clock | None = None,
    entropy: Entropy | None = None,
    cold: bool = False,
    keys_dir: str | os.PathLike[str] | None = None,
    served: bool = False,
) -> Memory:
    """Open a memory.

    Arguments not given are resolved as on the command line: environment, project file, user
    configuration. `create` makes a missing vault. `trust` is the origin of what is written:
    operator, agent, tool or external. `cold` is for a process that answers once within a fraction
    of a second: it loads no model but token vectors, and does not wait for other writers.
    `keys_dir` is the folder of the vault's key, for a throwaway vault; by default it is beside the
    user's configuration. `served` is for a process that answers many calls: words answer until
    a model is loaded, and new entries get their vectors beside the calls. Raises
    VaultUnavailableError.
    """
    flags = {
        "vault": None if vault is None else os.fspath(vault),
        "state_dir": None if state_dir is None else os.fspath(state_dir),
        "backend": backend,
        "project": project,
    }
    opener = Opener(
        flags,
        Actor(agent, trust),
        clock or SystemClock(),
        entropy or SystemEntropy(),
        create,
        cold=cold,
        keys_dir=None if keys_dir is None else os.fspath(keys_dir),
        served=served,
    )
    opener()
    return Memory(opener, opener.open_personal, opener.close)


def open_async_memory(
    vault: str | os.PathLike[str] | None = None,
    *,
    state_dir: str | os.PathLike[str] | None = None,
    backend: str | None = None,
    project: str | None = None,
    agent: str = "",
    trust: str = "agent",
    create: bool = False,
    keys_dir: str | os.PathLike[str] | None = None,
    threads: int = 4,
) -> AsyncMemory:
    """Return a memory for programs with an event loop, which at most `threads` threads work for.

    The vault is opened by `async with`, or by the first call, which raises what `open_memory` does.
    The other arguments are those of `open_memory`.

        async with open_async_memory("~/memory", create=True) as memory:
            await memory.save("Use advisory locks for the nightly job.", kind="fix")
    """
    from engrain.api.async_memory import AsyncMemory  # asyncio is not for a cold process

    def open_it() -> Memory:
        return open_memory(
            vault,
            state_dir=state_dir,
            backend=backend,
            project=project,
            agent=agent,
            trust=trust,
            create=create,
            keys_dir=keys_dir,
            served=True,
        )

    return AsyncMemory(open_it, threads)


def list_packaged(group: str = ENTRY_POINTS) -> Mapping[str, str]:
    """Return the modules of other packages by name: of their backends, or of another group."""
    from importlib.metadata import entry_points  # not for a cold process

    return {point.name: point.value for point in entry_points(group=group)}


def redact(text: str) -> tuple[str, Sequence[str]]:
    """Return a text without its secrets, and the rules that found them, which are loaded now."""
    from engrain.language.secrets import finding  # not for a cold process

    return finding.redact(text)


def _open_sources(backend: StorageBackend, resolution: Resolution) -> SourceStore:
    from engrain.resolution.sources import SourceStore  # not for a cold process

    return SourceStore(
        os.environ,
        backend.vault,
        closed=(resolution.location, resolution.state_dir),
        personal=resolution.settings["personal.root"].value,
        find_project=lambda folder: find_folder_project(os.environ, folder, resolution),
    )


def _open_outside(backend: StorageBackend) -> ApprovedPlaces:
    from engrain.resolution.fetching import ApprovedPlaces  # not for a cold process

    return ApprovedPlaces(os.environ, backend.vault)


_UNNAMED = ("auto", "none")


def _make_vectors(state: str, resolution: Resolution, cold: bool, served: bool) -> Vectors:
    """Make the vectors beside an index. Their modules are loaded only if vectors exist or the
    operator names an embedder, which must then be able to run."""
    settings = resolution.settings
    wanted = settings["embedder"].value or "auto"
    folder = os.path.join(state, "vectors")

    def exist() -> bool:
        return os.path.exists(os.path.join(folder, "vectors.sqlite"))

    def open_index() -> VectorIndex:
        from engrain.index.vectors.vectors import VectorIndex

        return VectorIndex(folder)

    def find_socket(which: str) -> str:
        from engrain.resolution.endpoint import endpoint_path, run_folder

        run_folder(resolution.state_dir)
        return endpoint_path(resolution.state_dir, which, "model.sock")

    def make_links() -> Sequence[EmbedderLink]:
        # A cold process has no time for a model, and token vectors cost it more than they gain
        # (decision 61), so it uses them only if they are named.
        if cold and "static" not in wanted:
            return ()
        from engrain.inference.chain import EmbedderSettings, Makers, make_chain, require_one

        chain = EmbedderSettings(
            "static" if cold else wanted,
            models=os.path.join(resolution.state_dir, "models"),
            url=settings["embedder_url"].value,
            model=settings["embedder_model"].value,
            key_variable=settings["embedder_key_variable"].value,
            folder=settings["embedder_folder"].value,
        )
        makers = Makers(_make_api, partial(_open_local, find_socket))
        links = make_chain(chain, os.environ, makers)
        if not cold:
            require_one(wanted, links)
        return links

    return Vectors(
        exist,
        open_index,
        make_links,
        named=not cold and wanted not in _UNNAMED,
        wanted=wanted != "none",
        served=served,
        claim=lambda: _claim(os.path.join(state, "embedding.lock")),
    )


def _make_api(url: str | None, model: str | None, key: str | None, timeout: float) -> EmbedderLink:
    from engrain.inference.api import ApiLink

    return ApiLink(url, model, key, timeout)


def _open_local(
    find_socket: Callable[[str], str],
    folder: str | None,
    stamps: str | None,
    packaged: PackagedModel,
) -> Embedder:
    """Open a model in a process of its own; where systems have no such sockets, in this one."""
    from engrain.inference.local import MINILM

    if os.name == "nt":
        if packaged is MINILM:
            from engrain.inference.onnx import open_model

            return open_model(folder, stamps)
        from engrain.inference.multilingual import open_multilingual

        return open_multilingual(folder, stamps)
    from engrain.inference.model_client import ModelProcess

    which = folder or ("" if packaged is MINILM else packaged.link)
    return ModelProcess(folder, stamps, lambda: find_socket(which), packaged)


def _claim(path: str) -> Callable[[], None] | None:
    """Take the right to embed; where no lock can be taken, it is everybody's."""
    try:
        held = acquire_lock_file(path)
    except OSError:
        return lambda: None
    return None if held is None else lambda: release_lock_file(path, held)


def _merge_copies(store: Store, met: Sequence[Locator]) -> set[Locator]:
    from engrain.engine.verbs.copies import merge_copies

    return merge_copies(store, met)


def _make_guard(store: Store) -> Guard:
    """Make the guard that keeps erased entries out of the index; load its modules only now."""
    from engrain.engine.erasing.erase import ErasureGuard

    return ErasureGuard(store)


def _make_llms(
    resolution: Resolution, device: Device, clock: Clock
) -> tuple[Callable[[str], LLM | None], Callable[[str, str], LLM | None]]:
    """Return the functions that make the configured language model and that of a host's client, and
    count their cost under a purpose. Until they are called, nothing is loaded, asked or run."""
    settings = {name: setting.value for name, setting in resolution.settings.items()}

    def make(purpose: str) -> LLM | None:
        url, model = settings["llm_url"], settings["llm_model"]
        if not url or not model:
            return None
        from engrain.inference.llm import ModelClient

        key = os.environ.get(settings["llm_key_variable"] or "")
        return measure(ModelClient(url, model, key), purpose)

    def make_agent(purpose: str, host: str) -> LLM | None:
        from engrain.inference.agent import CLIENTS, AgentModel

        if host not in CLIENTS:
            return None
        return measure(AgentModel(host, os.path.join(resolution.state_dir, "agents")), purpose)

    def measure(model: LLM, purpose: str) -> LLM:
        from engrain.engine.core.metering import Metered, read_cap

        return Metered(model, purpose, lambda: device.local, clock, read_cap(settings))

    return make, make_agent


def _situation(location: str) -> tuple[object, ...]:
    """Return everything that decides which store is meant: variables, folder and files."""
    variables = {name: os.environ[name] for name in os.environ if name.startswith("ENGRAIN_")}
    files = (location, user_config_file(os.environ))
    return (variables, os.getcwd(), *map(_identify, files))


def _identify(path: str) -> object:
    try:
        found = os.stat(path)
    except OSError:
        return None
    version = None if stat.S_ISDIR(found.st_mode) else found.st_mtime_ns
    return found.st_dev, found.st_ino, version
