"""Memory as the hooks of a host have it: next to nothing, because each prompt loads it anew."""

from __future__ import annotations

from engrain.face.living import Living
from engrain.face.working import Working


class Hooked(Living, Working):
    """The verbs, sessions, and the working memory that each turn rewrites."""
