"""Flips single bits of derived files, and looks what becomes of recall."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from engrain import Memory, open_memory

NUMBER = 40
QUESTION = "when was the crane 3 greased"


class Derived:
    """A vault with vectors, sessions and an index, whose derived files can be flipped and put
    back."""

    def __init__(self, folder: Path) -> None:
        self.vault = folder / "vault"
        self.state = folder / "state"
        self._kept = folder / "kept"
        with open_memory(self.vault, state_dir=self.state, create=True) as memory:
            for number in range(NUMBER):
                text = f"The crane {number} was greased in week {number} by the foreman."
                memory.save(text, title=f"Crane {number}", kind="fix")
            memory.embed()
            memory.sessions.begin("one")
            memory.recall(QUESTION, session="one")
            memory.sessions.end("one")
        shutil.copytree(self.state, self._kept)

    def open(self) -> Memory:
        return open_memory(self.vault, state_dir=self.state)

    def files(self, pattern: str) -> list[Path]:
        """The derived files of a pattern below this vault's state."""
        return sorted(self.state.glob(f"vaults/*/{pattern}"))

    def restore(self) -> None:
        shutil.rmtree(self.state)
        shutil.copytree(self._kept, self.state, copy_function=shutil.copyfile)

    def flip(self, pattern: str, count: int, seed: int) -> Iterator[str]:
        """Flip one bit after another, each in files that are otherwise whole; yield each place."""
        chance = random.Random(seed)
        for _ in range(count):
            self.restore()
            [path] = self.files(pattern)
            raw = bytearray(path.read_bytes())
            # Every second one in a page's head and cells' ends, which are the fewest bytes.
            at = chance.randrange(len(raw))
            if chance.random() < 0.5:
                at = at // 4096 * 4096 + chance.randrange(256)
            bit = chance.randrange(8)
            raw[min(at, len(raw) - 1)] ^= 1 << bit
            path.write_bytes(raw)
            yield f"{path.name}, byte {at}, bit {bit}"
