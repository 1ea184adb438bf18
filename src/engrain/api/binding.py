"""Make methods from functions of the floors below, bound to a memory's store.

A function's module is loaded when its method is first used: a process loads only what it uses.

    if TYPE_CHECKING:
        import engrain.engine.verbs.forget
    else:
        engrain = Later("engrain")

    class Memory(Holder):
        # A method with the function's own signature and docstring:
        forget = ready(engrain.engine.verbs.forget.forget_entry)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Concatenate, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.lifecycle.reviewing.actions import OpenPersonal

    P = ParamSpec("P")
    R_co = TypeVar("R_co", covariant=True)
    N_co = TypeVar("N_co", covariant=True)

    class Later:
        """The dotted name of a module that is not loaded yet."""

        def __init__(self, path: str) -> None: ...

    class Bound(Generic[P, R_co]):
        """A function as a method: its parameters after the store, and its result."""

        def __get__(self, holder: object, kind: type) -> Callable[P, R_co]: ...

    class Part(Generic[N_co]):
        """A namespace of a memory."""

        def __get__(self, holder: object, kind: type) -> N_co: ...

    def opened(function: Callable[Concatenate[Store, P], R_co]) -> Bound[P, R_co]:
        """Make a method that calls `function` with the open store."""

    def ready(function: Callable[Concatenate[Store, P], R_co]) -> Bound[P, R_co]:
        """Make one that needs an index that answers. Raises IndexUnavailableError."""

    def looked(function: Callable[Concatenate[Store, P], R_co]) -> Bound[P, R_co]:
        """Make one that needs the index and first takes a look at what other programs changed."""

    def scanned(function: Callable[Concatenate[Store, P], R_co]) -> Bound[P, R_co]:
        """Make one that needs the index and first takes in all that other programs changed."""

    def claimed(function: Callable[Concatenate[Store, P], R_co]) -> Bound[P, R_co]:
        """Make a method that waits until no jobs run on this device, except with `dry_run`. Raises
        LockedError."""

    def personal(function: Callable[Concatenate[Store, OpenPersonal, P], R_co]) -> Bound[P, R_co]:
        """Make a method that gets the open store and the opener of the operator's own notes."""

    def reopened(function: Callable[Concatenate[Callable[[], Store], P], R_co]) -> Bound[P, R_co]:
        """Make a method that gets the opener of the store, since its result outlives the call."""

    def part(kind: type[N_co]) -> Part[N_co]:
        """Declare a namespace, which is made at each access."""

else:

    class Later:
        """The dotted name of a module that is not loaded yet, or of something in it."""

        def __init__(self, path):
            self._path = path

        def __getattr__(self, name):
            return Later(f"{self._path}.{name}")

    class Bound:
        """The place of a function, replaced by a method when it is first accessed."""

        def __init__(self, place, call):
            self._place = place
            self._call = call

        def __set_name__(self, kind, name):
            self._kind = kind
            self._name = name

        def __get__(self, holder, kind=None):
            function, call = load(self._place), self._call

            def method(self, /, *args, **named):
                return call(function, self, args, named)

            method.__wrapped__ = function
            method.__doc__ = function.__doc__
            method.__name__ = self._name
            method.__qualname__ = f"{self._kind.__qualname__}.{self._name}"
            setattr(self._kind, self._name, method)
            return method if holder is None else method.__get__(holder)

    class Part:
        def __init__(self, place):
            self._place = place

        def __get__(self, holder, kind=None):
            made = load(self._place)
            return made if holder is None else made(holder._open_store, holder._open_personal)

    def load(place):
        """Load what a place names."""
        module, _, name = place._path.rpartition(".")
        return getattr(__import__(module, fromlist=[name]), name)

    def _claim(function, holder, args, named):
        store = holder._open_store()
        if named.get("dry_run"):
            return function(store, *args, **named)
        from engrain.lifecycle.jobs.runner import wait_for_claim

        with wait_for_claim(store.job_log), store.backend.claim_jobs():
            return function(store, *args, **named)

    def _binding(make_first):
        """Return a kind of method; `make_first` makes the arguments before the caller's."""

        def call(function, holder, args, named):
            return function(*make_first(holder), *args, **named)

        return lambda place: Bound(place, call)

    opened = _binding(lambda holder: (holder._open_store(),))
    ready = _binding(lambda holder: (holder._ready(),))
    looked = _binding(lambda holder: (holder._ready(look=True),))
    scanned = _binding(lambda holder: (holder._ready(scan=True),))
    personal = _binding(lambda holder: (holder._open_store(), holder._open_personal))
    reopened = _binding(lambda holder: (holder._open_store,))
    part = Part

    def claimed(place):
        return Bound(place, _claim)


class Holder:
    """An object that can open a store: a memory, or one of its namespaces."""

    def __init__(self, open_store: Callable[[], Store], open_personal: OpenPersonal) -> None:
        self._open_store = open_store
        self._open_personal = open_personal

    def _ready(self, *, look: bool = False, scan: bool = False) -> Store:
        """Return the store with an index that answers, after a look at edits by other programs or a
        scan for all of them."""
        store = self._open_store()
        store.require_index(look=look, scan=scan)
        return store
