"""The vector index of one store and its embedders, each opened when it is first needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from hashlib import blake2b
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engrain.index.rows import Found
    from engrain.index.sqlite_index import SearchIndex
    from engrain.index.vectors.vectors import VectorIndex
    from engrain.seam.embedder import EmbedderLink


SHORT = 600
"""The number of characters from which a passage is embedded without its neighbours."""
_OWN = bytes(8)
_PAGE = 1000
_STOPPING_S = 5.0
"""Seconds that a step of work in the background may take until its process ends."""


def _claim_nothing() -> Callable[[], None]:
    return lambda: None


class BackgroundWork:
    """One thread for work that may be asked for at any time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._done = Lock()
        self._is_asked = self._is_running = self._is_stopped = False

    def ask(self, work: Callable[[Callable[[], bool]], object]) -> None:
        """Have the work done, once more if it is being done now."""
        with self._lock:
            self._is_asked = not self._is_stopped
            if self._is_running or self._is_stopped:
                return
            self._is_running = True
            self._done.acquire()
        Thread(target=self._run, args=(work,), daemon=True).start()

    def stop(self) -> None:
        """Stop the work between two steps, and wait for that."""
        with self._lock:
            self._is_stopped = True
        if self._done.acquire(timeout=_STOPPING_S):
            self._done.release()

    def _run(self, work: Callable[[Callable[[], bool]], object]) -> None:
        try:
            while self._goes_on():
                work(lambda: self._is_stopped)
        finally:
            self._done.release()

    def _goes_on(self) -> bool:
        with self._lock:
            self._is_running = self._is_asked and not self._is_stopped
            self._is_asked = False
            return self._is_running


@dataclass(slots=True, eq=False)
class Vectors:
    """The vector index of a store and the chain of embedders whose vectors are in it. A process
    that needs no vectors loads neither. `named` says that the operator named the embedders of the
    chain, so that it is an error if none can run; `wanted` that there is a chain, so that new
    passages get vectors; `served` that this process answers many calls, so that no recall waits for
    a model and new passages get their vectors beside the calls. `claim` takes the right to embed,
    which one process of this device has at a time, and returns a function that gives it back; None
    if another has it."""

    exist: Callable[[], bool]
    _open_index: Callable[[], VectorIndex]
    _make_links: Callable[[], Sequence[EmbedderLink]]
    _: KW_ONLY
    named: bool = False
    wanted: bool = False
    served: bool = False
    claim: Callable[[], Callable[[], None] | None] = _claim_nothing
    _work: BackgroundWork | None = None
    _index: VectorIndex | None = None
    _links: Sequence[EmbedderLink] | None = None

    @property
    def index(self) -> VectorIndex:
        if self._index is None:
            self._index = self._open_index()
        return self._index

    @property
    def links(self) -> Sequence[EmbedderLink]:
        """The links of the chain. Raises ConfigError if the setting is invalid, or if none of the
        named embedders can run."""
        if self._links is None:
            self._links = self._make_links()
        return self._links

    def work_behind(self, work: Callable[[Callable[[], bool]], object]) -> None:
        """Do some work in a thread, and once more if this is called meanwhile. The work is given a
        function that says whether it has to stop."""
        if self._work is None:
            self._work = BackgroundWork()
        self._work.ask(work)

    def close(self) -> None:
        if self._work is not None:
            self._work.stop()
            self._work = None
        if self._index is not None:
            self._index.close()
            self._index = None


def own_key(key: int) -> bytes:
    """Return the key of the vector of a passage alone."""
    return key.to_bytes(8, "little", signed=True) + _OWN


def context_key(passage: Found) -> bytes:
    """Return the key of the vector of a passage with its neighbours; its own key if it is long
    enough or has no neighbours."""
    if passage.end - passage.start >= SHORT or passage.before is passage.behind is None:
        return own_key(passage.key)
    around = f"{passage.before} {passage.behind}".encode()
    digest = blake2b(around, digest_size=8).digest()
    return passage.key.to_bytes(8, "little", signed=True) + digest


def embedded_keys(index: SearchIndex) -> set[bytes]:
    """Return the keys of all vectors that the indexed passages have or may get."""
    keys: set[bytes] = set()
    before = None
    with index.view() as view:
        while numbers := view.newest_passages(before, _PAGE):
            for passage in view.details(numbers).values():
                keys.update((own_key(passage.key), context_key(passage)))
            before = numbers[-1]
    return keys
