"""What commands cost in a vault with a long history: as much as with a short one, if all is well.

python -m bench.long_history                          1,000, 20,000 and 1,000,000 changes
python -m bench.long_history --changes 1000,100000    other sizes, the first is what others are
                                                      compared with
python -m bench.long_history --folder PLACE           keep the vaults there, and use those it has

A thousand notes (a tenth of the changes at most) are edited in turn, each change in a record of its
own: records are encoded, signed and appended by the code that writes them, only without a flush for
each. Figures are processor time and the bytes and calls of reading, since times of a busy machine
say little.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.measure import in_child
from bench.vault import open_store
from engrain.backends import segments
from engrain.backends.confined import Descriptor
from engrain.backends.folder import FolderBackend
from engrain.model.history.record import FileChange, Record, encode_record
from engrain.model.note.entry import read_entry
from engrain.model.note.note import hash_bytes
from engrain.seam.locator import Locator
from engrain.seam.rows import CURRENT
from engrain.wiring import open_memory

NOTES = 1_000
_APPENDED = 900_000
"""Bytes of records that are appended at once."""
_BEGAN = 1_600_000_000.0

_COMMAND = """
from engrain import open_memory
def io():
    with open("/proc/self/io") as file:
        return {key: int(value) for key, value in (line.split(": ") for line in file)}
with open_memory(sys.argv[1], state_dir=sys.argv[2], backend="device-local") as memory:
    action = sys.argv[3]
    if action == "verify":
        work = lambda at: memory.trust.survey().chains
    elif action == "history":
        work = lambda at: memory.history(limit=20)
    elif action == "undo":
        work = lambda at: memory.undo()
    elif action == "save":
        work = lambda at: memory.save(f"A text of its own, {os.urandom(8).hex()}.", kind="fix")
    else:
        work = lambda at: memory.list(limit=5)
    times = int(sys.argv[4])
    first = time.process_time()
    work(0)
    first = time.process_time() - first
    before, began = io(), time.process_time()
    for at in range(times):
        work(at)
    after = io()
    result = {"first_ms": first * 1000, "ms": (time.process_time() - began) / max(1, times) * 1000}
    result |= {key: (after[key] - before[key]) / max(1, times) for key in ("rchar", "syscr")}
"""
_ACTIONS = {"list": 20, "save": 20, "undo": 10, "history": 20, "verify": 0}


def make(vault: Path, state: Path, changes: int) -> None:
    """Make a vault with so many changes, and index it."""
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        for number in range(min(NOTES, changes // 10)):
            memory.save(f"Fact {number} stands.", title=f"Note {number}", kind="fix")
    store = open_store(vault, state)
    store.require_index()
    backend = store.backend
    assert isinstance(backend, FolderBackend)
    notes = [row.locator for row in store.index.find(CURRENT)]
    now = {at: (vault / at).read_bytes() for at in notes}
    ids = {at: read_entry(at, raw).id for at, raw in now.items()}
    writer = backend._protocol()
    with (
        Descriptor(backend._open_root()) as root,
        Descriptor(segments.open_chain(root, backend.device)) as chain,
    ):
        tail = segments.read_note(writer._state, backend.device) or segments.find_tail(chain)
        for links in _group(_write(backend.device, writer._sign, tail, now, ids, changes)):
            tail = segments.append(chain, tail, links)
        segments.write_note(writer._state, backend.device, tail)
    for at, raw in now.items():
        (vault / at).write_bytes(raw)
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        memory.reindex()


def _write(
    device: str,
    sign: Any,
    tail: segments.Tail,
    now: dict[Locator, bytes],
    ids: dict[Locator, str],
    changes: int,
) -> Iterator[tuple[bytes, bytes]]:
    prev = tail.hash
    places = list(now)
    for n in range(tail.n + 1, changes + 1):
        place = places[n % len(places)]
        before = now[place]
        head, _, _ = before.rpartition(b"\nRevision ")
        after = (head or before.rstrip()) + b"\nRevision %d.\n" % n
        now[place] = after
        file = FileChange(place, ids[place], hash_bytes(before), hash_bytes(after), after)
        record = Record(
            device, n, _BEGAN + n, "edit", [ids[place]], [file], agent="bench", trust="agent"
        )
        link = encode_record(record, prev, f"{n:032x}", sign)
        prev = hash_bytes(link[0])
        yield link


def _group(links: Iterator[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    found: list[tuple[bytes, bytes]] = []
    size = 0
    for link in links:
        found.append(link)
        size += len(link[0]) + len(link[1])
        if size > _APPENDED:
            yield found
            found, size = [], 0
    if found:
        yield found


def run(sizes: Sequence[int], folder: Path) -> list[dict[str, Any]]:
    """The figures of each size."""
    results = []
    for changes in sizes:
        vault, state = folder / f"history-{changes}", folder / f"history-state-{changes}"
        if not vault.exists():
            make(vault, state, changes)
        found: dict[str, Any] = {"changes": changes}
        for action, times in _ACTIONS.items():
            found[action] = in_child(_COMMAND, str(vault), str(state), action, str(times))
        results.append(found)
    return results


def render(results: Sequence[dict[str, Any]]) -> str:
    """The figures as a table of Markdown, each with its ratio to that of the first size."""
    first = results[0]
    lines = ["| | " + " | ".join(f"{one['changes']:,} changes" for one in results) + " |"]
    lines.append("|---|" + "---|" * len(results))
    for action in _ACTIONS:
        for key in ("first_ms", "ms", "rchar", "syscr", "peak_mib"):
            cells = [
                f"{one[action][key]:.1f} ({one[action][key] / (first[action][key] or 1):.2f})"
                for one in results
            ]
            lines.append(f"| {action} {key} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the vaults that are not there, measure, and print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.long_history",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--changes", default="1000,20000,1000000", help="sizes, comma-separated")
    parser.add_argument("--folder", type=Path, help="keep the vaults there")
    args = parser.parse_args(arguments)
    sizes = [int(size) for size in args.changes.split(",")]
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        print(render(run(sizes, args.folder or Path(temp))))


if __name__ == "__main__":
    main()
