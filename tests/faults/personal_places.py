"""Names that would lead to the operator's own notes, or out of them, if anyone followed them; and
the calls that are given them. Run as a program it makes the calls, for a trace of what is opened.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

from engrain import EngrainError, Memory, Scope, open_memory
from engrain.backends.personal import open_personal
from engrain.model.note.note import hash_bytes
from engrain.seam.personal import Personal, PersonalRequest
from support.vaults import FakeClock, FakeEntropy

PERSONAL = "theoperatorsownword"
"""What every note of the operator's has in it, and no answer of a verb."""
OUTSIDE = "thewordofneither"
"""What lies outside of both, and comes out of nothing."""
IN_VAULT = "thewordofthevault"


class Ground:
    """The operator's notes with the vault in them, and a folder beside."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes"
        self.vault = self.notes / "Agent"
        self.outside = folder / "outside"
        self.state = folder / "state"

    def lay(self) -> None:
        for path, text in (
            (self.notes / "diary.md", PERSONAL),
            (self.notes / "Journal" / "day.md", PERSONAL),
            (self.notes / "Journal" / "deep" / "night.md", PERSONAL),
            (self.notes / ".obsidian" / "hidden.md", PERSONAL),
            (self.outside / "note.md", OUTSIDE),
            (self.outside / "deep" / "note.md", OUTSIDE),
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# {path.stem}\n\n{text}\n")

    def personal(self, root: Path | None = None) -> Personal:
        return open_personal(
            PersonalRequest(
                str(root or self.notes),
                closed=[str(self.vault), str(self.state)],
                state=str(self.state / "personal"),
                agent="crafty",
                clock=FakeClock(),
                entropy=FakeEntropy(),
                redact=str,
            )
        )


def climbing(ground: Ground) -> list[str]:
    """Paths that lead to a note of the operator's, of the vault's or of nobody's."""
    targets = ("diary.md", "Journal/day.md", "outside/note.md", "Agent/Memory/fix/mine.md")
    starts = ("../", "../../", "../" * 9, "./../", "Memory/../../", "Memory/fix/../../../", "a/../")
    absolute = [
        *(str(ground.folder / name) for name in ("notes/diary.md", "outside/note.md", "outside")),
        *(str(ground.notes / name) for name in ("Journal", "Journal/deep/night.md", "Agent")),
    ]
    return [*(start + target for start in starts for target in targets), *absolute]


SPELLINGS: tuple[Callable[[str], str], ...] = (
    lambda path: path,
    lambda path: path.replace("/", "\\"),
    lambda path: quote(path, safe=""),
    lambda path: quote(quote(path, safe=""), safe=""),
    lambda path: path.replace("../", "..%c0%af"),
    lambda path: path.replace("../", "....//"),
    lambda path: path.replace("..", "\uff0e\uff0e").replace("/", "\uff0f"),
    lambda path: path.replace("..", "\u2025").replace("/", "\u2044"),
    lambda path: path.replace("/", "\u2215"),
    lambda path: path + "\0.md",
    lambda path: path.replace("/", "\0/", 1),
    lambda path: path + "\n",
    lambda path: path.replace("/", "//"),
    lambda path: path + "/",
    lambda path: path + " ",
    lambda path: path + ".",
    lambda path: path.upper(),
    lambda path: "personal:" + path,
    lambda path: "file://" + path,
    lambda path: f"[[{path}]]",
    lambda path: "\u200b" + path,
    lambda path: "\u202e" + path[::-1],
)
SINGLE = (
    *("", ".", "..", "...", "/", "//", "~", "~/notes/diary.md", "$HOME/notes/diary.md", "*", "-rf"),
    *(".obsidian/hidden.md", ".engrain/vault.json", ".md", "..md", "Agent", "agent", "AGENT/"),
    *(
        "Agent/.engrain/vault.json",
        "Agent/new.md",
        "Agent/Memory/new.md",
        "Journal/../Agent/new.md",
    ),
    *("personal:diary.md", "personal:", "personal", "diary", "day", "Journal/day", "_archive/x"),
    *("/proc/self/cwd/../notes/diary.md", "/proc/self/root", "/dev/fd/0", "/dev/stdin"),
    *(
        "C:\\notes\\diary.md",
        "\\\\?\\C:\\notes",
        "//server/share/x.md",
        "notes:stream.md",
        "CON.md",
    ),
    *("x" * 300 + ".md", "d/" * 200 + "x.md", "../" * 2000 + "diary.md", "😀" * 80 + ".md"),
    *("e\u0301" * 90 + ".md", "\udcff.md", "\ud800/x.md", "a\rb.md", "a\x1bb.md", "\x7f.md"),
    *("`cat ../diary.md`.md", "$(cat ../diary.md).md", "' OR 1=1 --", "{{diary}}", "%", "%2e%2e"),
)


def corpus(ground: Ground) -> list[str]:
    """Every crafted name, once."""
    paths = climbing(ground)
    # Each spelling of every third path, of others each time.
    spelt = [
        spell(path)
        for turn, spell in enumerate(SPELLINGS)
        for path in itertools.islice(paths, turn % 3, None, 3)
    ]
    return list(dict.fromkeys([*SINGLE, *paths, *spelt]))


def verb_calls(memory: Memory, other: str, text: str, turn: int) -> Iterator[Callable[[], object]]:
    """Every verb over the vault, on this name; saving has it in one field, by turns."""
    saves: tuple[Callable[[], object], ...] = (
        partial(memory.save, f"Words {turn}.", title=text),
        partial(memory.save, f"Words {turn}.", title=f"T {turn}", slug=text),
        partial(memory.save, f"Words {turn}.", title=f"T {turn}", kind=text),
        partial(memory.save, f"Words {turn}.", title=f"T {turn}", project=text, kind="design"),
        partial(memory.save, f"Words {turn}.", title=f"T {turn}", status=text),
        partial(memory.save, f"Words [[{text}]] ![[{text}]].", title=f"T {turn}", tags=[text]),
        partial(memory.save, f"Words {turn}.", title=f"T {turn}", ref=text, derived_from=[text]),
    )
    yield saves[turn % len(saves)]
    yield partial(memory.show, text)
    yield partial(memory.edit, text, expect="0" * 64, text="Other words.")
    yield partial(memory.evolve, text, "Other words.")
    yield partial(memory.link, other, text)
    yield partial(memory.link, text, other)
    yield partial(memory.forget, text)
    yield partial(memory.restore, text)
    yield partial(memory.history, text)
    yield partial(memory.read_at, text, 2e9)
    yield partial(memory.undo, text)
    if turn % 3 == 0:
        yield partial(memory.recall, text)
        yield partial(memory.recall, PERSONAL, scope=Scope(kinds=[text], tags=[text]))


def personal_calls(personal: Personal, text: str) -> Iterator[Callable[[], object]]:
    """Every verb over the operator's own notes, on this name."""
    yield partial(personal.read, text)
    yield partial(personal.list, text)
    yield partial(personal.write, text, b"words\n")
    yield partial(personal.write, text, b"words\n", hash_bytes(b"other"))


def told(answer: object) -> str:
    """All that an answer tells."""
    if isinstance(answer, str | bytes | int | float | bool | None):
        return str(answer)
    if isinstance(answer, dict):
        return "\n".join(f"{told(key)}: {told(value)}" for key, value in answer.items())
    if isinstance(answer, list | tuple | set | frozenset):
        return "\n".join(map(told, answer))
    slots = [name for kind in type(answer).__mro__ for name in getattr(kind, "__slots__", ())]
    names = [*slots, *getattr(answer, "__dict__", ())]
    return "\n".join(told(getattr(answer, name, None)) for name in names)


def call_all(calls: Iterator[Callable[[], object]]) -> str:
    """What calls answer, and the one line of each that is refused."""
    lines = []
    for call in calls:
        try:
            lines.append(told(call()))
        except EngrainError as error:
            assert "\n" not in error.message
            lines.append(f"{error.message} {error.path} {error.remedy}")
    return "\n".join(lines)


def main(folder: str, what: str, every: str) -> None:
    """Make the calls on every so manieth name, and print what was told."""
    ground = Ground(Path(folder))
    names = corpus(ground)[:: int(every)]
    if what == "personal":
        personal = ground.personal()
        for text in names:
            sys.stdout.write(ascii(call_all(personal_calls(personal, text))) + "\n")
        return
    with open_memory(ground.vault, state_dir=ground.state) as memory:
        other = memory.save("Words that stay.", title="Stays").id
        for turn, text in enumerate(names):
            sys.stdout.write(ascii(call_all(verb_calls(memory, other, text, turn))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
