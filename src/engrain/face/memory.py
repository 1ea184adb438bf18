"""`Memory` as its users have it: the verbs of the engine, and all that stands on them (S1.13)."""

from __future__ import annotations

from engrain.face.crystallizing import Crystallizing
from engrain.face.daily import Daily
from engrain.face.dreaming import Dreaming
from engrain.face.experience import Experience
from engrain.face.extraction import Extraction
from engrain.face.facts import Facts
from engrain.face.graphing import Graphing
from engrain.face.handing import Handing
from engrain.face.hooked import Hooked
from engrain.face.layouts import Layouts
from engrain.face.learning import Learning
from engrain.face.linking import Linking
from engrain.face.linting import Linting
from engrain.face.mapping import Mapmaking
from engrain.face.reflection import Reflection
from engrain.face.sources import SourceKeeping
from engrain.face.synthesis import Synthesis
from engrain.face.tasks import Tasks


class Memory(
    Hooked,
    Experience,
    Tasks,
    Handing,
    Daily,
    Synthesis,
    Crystallizing,
    Dreaming,
    Graphing,
    Layouts,
    SourceKeeping,
    Facts,
    Extraction,
    Reflection,
    Learning,
    Linking,
    Linting,
    Mapmaking,
):
    """Durable memory over one vault.

    Made by `engrain.open_memory`. The vault is resolved at each call, so a vault that was moved,
    unmounted or put back is noticed; calls may come from several threads. Every method may raise
    the errors of `engrain.model.errors`; VaultUnavailableError when the vault can't be reached.

        with open_memory("~/memory", create=True) as memory:
            memory.save("Use advisory locks for the nightly job.", title="Nightly lock", kind="fix")
            for found in memory.recall("nightly job lock").results:
                print(found.row.title, found.text)
    """
