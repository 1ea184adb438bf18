"""The files of a `.loki/memory` folder: what each holds, without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from engrain.engine.core.outcomes import Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.verbs.intake import Telling
from engrain.interchange.loki.incoming import Incoming
from engrain.model.errors import MalformedError
from engrain.model.experience.reading import read_episode
from engrain.model.interchange.loki.layout import LINK, check_document, kind_at, read_items
from engrain.model.interchange.loki.skills import read_skill

Tell: TypeAlias = "Callable[[str, str], None]"
"""Hears of what something is (a path, mostly), and what is wrong with it."""


class Reading:
    """Reads the files of one tree. `links` are those of its `links.json`, by whose they are: the
    link as it is to stand, by what it leads to and how."""

    def __init__(self, store: Store, name: str, done: Imported, tell: Tell) -> None:
        self._store = store
        self._name = name
        self._done = done
        self._tell = tell
        self.links: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}

    def read(self, path: str, raw: bytes) -> Iterator[Incoming]:
        """The documents in a file of the tree, without secrets."""
        kind = kind_at(path)
        path = clean_text(self._store, path)  # it is told, and names what came from it
        count = self._done.count
        with Telling(self._tell, path, None if kind == LINK else count):
            if kind == "procedural":
                document = self._clean(read_skill(raw))
                yield Incoming(kind, self._name, path, check_document(document))
                return
            for number, item in enumerate(read_items(path, raw), 1):
                with Telling(self._tell, f"{path}: item {number}", None if kind == LINK else count):
                    document = self._clean(check_document(item))
                    if kind == LINK:
                        self._take_link(document)
                    else:
                        incoming = Incoming(kind, self._name, path, document)
                        if kind == "episode":
                            self._check_episode(incoming)
                        yield incoming

    def _clean(self, document: dict[str, Any]) -> dict[str, Any]:
        redaction = Redaction(self._store)
        cleaned = redaction.clean_values(document)
        self._done.redacted += bool(redaction.rules)
        return cleaned

    def _take_link(self, link: dict[str, Any]) -> None:
        start, to = link.get("from"), link.get("to")
        relation = link.get("relation", "related_to")
        if not (isinstance(start, str) and isinstance(to, str) and isinstance(relation, str)):
            raise MalformedError("a link has `from`, `to` and `relation`", reason="json")
        if not start or not to:
            raise MalformedError("a link from nothing or to nothing", reason="json")
        self.links.setdefault(start, {})[(to, relation)] = {"to": to, "relation": relation}

    def _check_episode(self, incoming: Incoming) -> None:
        """An episode that is as loki has it stays as it is; of another what can be kept is."""
        reading = read_episode(incoming.document, self._store.clock.now())
        wrong = [line for line in reading.told if "is no field of an episode" not in line]
        log = incoming.document.get("action_log") or []
        if not wrong and not reading.omitted:
            times = [action.get("t", 0) for action in log]
            if times == sorted(times):
                return
        if reading.omitted:
            incoming.own["omitted"] = {**reading.omitted}
        incoming.document |= reading.document
        if wrong:
            self._tell(incoming.label, "taken in, but " + "; ".join(wrong))
