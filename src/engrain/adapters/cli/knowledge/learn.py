"""`engrain learn`: choose what is learned from, and learn from it now."""

from __future__ import annotations

from engrain.adapters.cli.knowledge.extract import ExtractFacts
from engrain.adapters.cli.knowledge.reflect import ReflectOnSessions
from engrain.adapters.cli.knowledge.sources import AddSource, ListSources, RemoveSource

COMMAND = {
    "list": ListSources,
    "add": AddSource,
    "remove": RemoveSource,
    "extract": ExtractFacts,
    "reflect": ReflectOnSessions,
}
