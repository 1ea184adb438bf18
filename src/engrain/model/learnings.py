"""Learnings: what an error taught, a record beside its anti-pattern (S2.7, the seed's
`learnings/`)."""

from __future__ import annotations

from engrain.model.code_spans import code_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

LEARNING = "learning"
_TOLD = ("type", "message", "resolution")


def render_learning(document: Mapping[str, Any]) -> tuple[str, str]:
    """A learning as a title, its lesson, and the text under it. What errors say is no markup."""
    titles = (document.get(key) for key in ("lesson", "message", "type"))
    title = next((text for text in titles if isinstance(text, str) and text.strip()), LEARNING)
    said = ((key, document.get(key)) for key in _TOLD)
    lines = [f"- {key}: {code_span(str(value))}" for key, value in said if value]
    sources = document.get("source_episodes")
    ids = [str(one) for one in sources] if isinstance(sources, list) else []
    if anti := document.get("anti_pattern"):
        lines.append(f"- anti_pattern: {code_span(str(anti))}")
    if ids:
        lines.append("- source_episodes: " + ", ".join(map(code_span, ids)))
    return " ".join(title.split())[:200], "\n".join(lines) + "\n"
