"""`Memory` as its users have it: the verbs of the engine, and what stands on them (S1.13).

The engine's own class has the verbs; the parts here add sessions, review and the jobs, episodes and
skills, hand-offs and working memory, so that one object is all that a caller needs.
"""

from __future__ import annotations

from engrain.face.consolidation import Consolidation
from engrain.face.episodes import Episodes
from engrain.face.handing import Handing
from engrain.face.living import Living
from engrain.face.loki import Loki
from engrain.face.tasks import Tasks
from engrain.face.skills import Skills
from engrain.face.transcripts import Transcripts
from engrain.face.working import Working


class Memory(Living, Consolidation, Tasks, Skills, Working, Episodes, Handing, Loki, Transcripts):
    """Durable memory over one vault.

    Made by `engrain.open_memory`. The vault is resolved at each call, so a vault that was moved,
    unmounted or put back is noticed; calls may come from several threads. Every method may raise
    the errors of `engrain.model.errors`; VaultUnavailableError when the vault can't be reached.

        with open_memory("~/memory", create=True) as memory:
            memory.save("Use advisory locks for the nightly job.", title="Nightly lock", kind="fix")
            for found in memory.recall("nightly job lock").results:
                print(found.row.title, found.text)
    """
