"""A vault moved into PostgreSQL and back, with its whole history: entries a second both ways.

What comes back is compared with the vault byte for byte, on the disk. The floor is a plain copy of
the same folder, each file flushed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
from contextlib import ExitStack, closing
from functools import partial
from importlib import import_module
from pathlib import Path

from bench import corpus
from bench.measure import timed
from engrain import open_memory
from engrain.seam.storage import BackendRequest, StorageBackend
from engrain_team.moving import copy_store, move_store

ROWS = (
    ("entries moved, with {changes} changes", "{entries}"),
    ("into PostgreSQL, with both comparisons", "{there_s} s, {there_per_s}/s"),
    ("… the copy, while the vault is in use", "{copy_s} s, {copy_per_s}/s"),
    ("… `--finish`, which keeps writers out", "{finish_s} s, {finish_per_s}/s"),
    ("back into a folder, with both comparisons", "{back_s} s, {back_per_s}/s"),
    ("… the copy, while the namespace is in use", "{copy_back_s} s, {copy_back_per_s}/s"),
    ("… `--finish`, which keeps writers out", "{finish_back_s} s, {finish_back_per_s}/s"),
    ("a plain copy of the folder, each file flushed", "{floor_s} s"),
    ("files that differ afterwards", "{differ}"),
)


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures for vaults of so many entries."""
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "engrain-team" / "tests")]
    from team.servers import OWNER, start_server  # the package may not be there

    server = start_server()
    server.make_template()
    results = []
    for size in sizes:
        vault, back = folder / f"vault{size}", folder / f"back{size}"
        source = folder / f"source{size}"
        corpus.write_folder(source, size)
        with open_memory(
            vault, state_dir=folder / "state", backend="device-local", create=True
        ) as memory:
            memory.import_folder(str(source))
        address = server.address(server.make_database(), OWNER, "moved")
        results.append({"entries": size, **_measure(vault, address, back, folder)})
    return results


def _measure(vault: Path, address: str, back: Path, folder: Path) -> dict[str, object]:
    figures: dict[str, object] = {"floor_s": round(timed(partial(_copy_flushed, vault, folder)), 1)}
    with ExitStack() as opened:
        old = opened.enter_context(closing(open_store("device_local", str(vault), folder)))
        new = opened.enter_context(closing(open_store("postgres", address, folder, old.vault)))
        seconds = {"copy": timed(lambda: copy_store(old, new))}
        seconds["finish"] = timed(lambda: move_store(old, new, address))
        last = opened.enter_context(
            closing(open_store("device_local", str(back), folder, old.vault))
        )
        seconds["copy_back"] = timed(lambda: copy_store(new, last))
        seconds["finish_back"] = timed(lambda: move_store(new, last, str(back)))
        entries = sum(1 for _ in new.scan())
        figures["changes"] = sum(1 for device in new.heads() for _ in new.chain(device))
    (vault / ".engrain" / "moved.json").unlink()
    seconds["there"] = seconds["copy"] + seconds["finish"]
    seconds["back"] = seconds["copy_back"] + seconds["finish_back"]
    for name, took in seconds.items():
        figures[f"{name}_s"] = round(took, 1)
        figures[f"{name}_per_s"] = round(entries / took)
    figures["differ"] = _count_different(vault, back)
    return figures


def open_store(module: str, place: str, folder: Path, vault: str = "") -> StorageBackend:
    """A backend by itself; one with the id of a `vault` is to take its place."""
    request = BackendRequest(
        place, state=str(folder / "state"), device="laptop00", entropy=os.urandom,
        create=bool(vault), vault=vault,
    )  # fmt: skip
    opened: StorageBackend = import_module(f"engrain.backends.{module}").open_backend(request)
    return opened


def _copy_flushed(vault: Path, folder: Path) -> None:
    def copy(source: str, target: str) -> None:
        shutil.copyfile(source, target)
        with open(target, "rb") as file:
            os.fsync(file.fileno())

    shutil.copytree(vault, folder / "plain", copy_function=copy)
    shutil.rmtree(folder / "plain")


def _count_different(one: Path, other: Path) -> int:
    """How many files are not the same in both vaults, as `diff -r` compares them."""
    first, second = _read_vault(one), _read_vault(other)
    return sum(first.get(name) != second.get(name) for name in first.keys() | second.keys())


def _read_vault(vault: Path) -> dict[str, str]:
    """The hash of each file."""
    return {
        str(path.relative_to(vault)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in vault.rglob("*")
        if path.is_file()
    }
