"""Rebuilds the index, and computes missing embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from engrain.adapters.cli.base import Answer, MemoryCommand, flag
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import list_fields
from engrain.adapters.present.text import clean_line
from engrain.api.memory import Memory
from engrain.model.errors import EmbeddingError, LockedError


@dataclass(kw_only=True)
class RebuildIndex(MemoryCommand):
    """Rebuild the index from the files."""

    examples = "engrain jobs reindex"

    def run_in(self, memory: Memory) -> Answer:
        with show_progress(self.console, "indexing") as progress:
            counts = memory.reindex(progress).counts
        unread = counts["unreadable"]
        left = f", {unread} files can't be read (see check)" if unread else ""
        data = {name: counts[name] for name in ("seen", "dropped")}
        data |= {"indexed": counts["changed"], "problems": unread}
        return data, [f"indexed {counts['changed']} entries{left}"]


@dataclass(kw_only=True)
class EmbedTexts(MemoryCommand):
    """Compute the embeddings that entries lack."""

    examples = """
engrain jobs embed
ENGRAIN_EMBEDDER=api,local engrain jobs embed --json
"""
    prune: bool = flag("drop the vectors of models that are not used now")

    def run_in(self, memory: Memory) -> Answer:
        began = monotonic()
        try:
            with show_progress(self.console, "embedding", " texts") as progress:
                outcomes = memory.embed(progress, prune=self.prune)
        except LockedError as error:
            lines = [f"{error.message}, so this command leaves it to that one; {error.remedy}"]
            return {"links": [], "busy": True}, lines
        if not any(outcome.model for outcome in outcomes):
            raise EmbeddingError(
                "; ".join(f"{outcome.link}: {outcome.lost}" for outcome in outcomes)
                or "no embedder is configured",
                remedy="install engrain[local], or set embedder and what it needs",
            )
        lines = []
        for one in outcomes:
            added = f"{one.added} new vectors of {one.model}"
            lines.append(
                f"{one.link}: {added if one.model else f'not used: {clean_line(one.lost)}'}"
            )
        seconds = monotonic() - began
        texts = sum(one.added for one in outcomes)
        if texts:
            lines.append(f"{texts} texts in {seconds:.0f} s, {texts / seconds:.1f} a second")
        data = {"links": list_fields(outcomes, "link model added lost"), "busy": False}
        return {**data, "seconds": round(seconds, 1)}, lines
