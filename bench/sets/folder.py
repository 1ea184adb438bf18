"""The data sets of a folder."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from bench.read_sources import open_source
from bench.sets.foreign import shipped_prompts
from bench.sets.question_set import GoldQuestion
from bench.sets.questions import (
    Domain,
    leave_out,
    make_chats,
    make_notes,
    make_talk,
    read_code_sessions,
    read_foreign,
    with_foreign,
)
from bench.sets.screens import is_screen, read_screen
from engrain.adapters.cli.care.eval import naming, read_bytes
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.facts.fact import Turn

_CODE = "code sessions"
_LAYOUT = "see `python -m bench.sets --help` for what it may hold"


@dataclass(slots=True, eq=False)
class DataSets:
    """What a folder holds: the domains that can be asked, and by name why others can't."""

    domains: list[Domain] = field(default_factory=list, init=False)
    absent: dict[str, str] = field(default_factory=dict, init=False)

    def read(self, path: str, make: Callable[[bytes], Domain]) -> None:
        """Add the domain of a file; a second one of a kind goes by its file's name too."""
        with naming(path):
            domain = make(read_bytes(path))
        if any(domain.name == other.name for other in self.domains):
            domain.name += f", {os.path.basename(path).rpartition('.')[0]}"
        self.domains.append(domain)


def read_data_sets(folder: str, labels: str | None = None) -> DataSets:
    """Read every question of a folder, so that a broken file is known before anything is asked.

    `labels` is a file of labelled questions over `transcripts`, where it is not in the folder.
    Raises NotFoundError, UsageError where there is nothing to ask, MalformedError with the path.
    """
    folder = os.path.abspath(os.path.expanduser(folder))
    if not os.path.isdir(folder):
        raise NotFoundError(f"{folder} is no folder", path=folder, remedy="name a folder of data")
    found = DataSets()
    prompts: list[GoldQuestion] = []
    for path in _find(folder, "prompts/foreign*.jsonl"):
        with naming(path):
            prompts += read_foreign(read_bytes(path))
    prompts = prompts or shipped_prompts()
    make: Callable[[bytes], Domain]
    for name, pattern, make in (
        ("talk", "locomo/*.json", make_talk),
        ("chats", "beam*/*.json", partial(make_chats, prompts=prompts)),
    ):
        paths = _find(folder, pattern)
        if not paths:
            found.absent[name] = f"no {pattern}"
        for path in paths:
            found.read(path, make)
    for vault in _find(folder, "vault-*/"):
        name = os.path.basename(vault.rstrip(os.sep)).removeprefix("vault-")
        path = os.path.join(folder, "prompts", f"own_{name}.jsonl")
        if os.path.exists(path):
            found.read(path, partial(make_notes, name, vault, prompts=prompts))
        else:
            found.absent[f"vault-{name}"] = f"no prompts/own_{name}.jsonl"
    _read_code(found, folder, labels, prompts)
    if not found.domains:
        raise UsageError(f"no data set is in {folder}", path=folder, remedy=_LAYOUT)
    return found


def read_transcripts(folder: str) -> dict[str, list[Turn]]:
    """Return the turns of every transcript below a folder, by its name there."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "**", "*"), recursive=True)):
        if os.path.isfile(path) and os.path.basename(path) != "LICENSE":
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            raw = read_bytes(path)
            if is_screen(text := raw.decode(errors="replace")):
                found[name] = read_screen(text)
                continue
            with naming(path):
                _, conversations = open_source([raw], name)
            found[name] = [turn for one in conversations for turn in one.turns]
    return found


def _read_code(
    found: DataSets, folder: str, labels: str | None, prompts: Sequence[GoldQuestion]
) -> None:
    paths = [labels] if labels else _find(folder, "prompts/code_sessions*.jsonl")
    transcripts = os.path.join(folder, "transcripts")
    if not paths:
        found.absent[_CODE] = "no labelled questions: name them with --labels"
    elif not os.path.isdir(transcripts):
        found.absent[_CODE] = "no transcripts/"
    else:
        turns = read_transcripts(transcripts)
        foreign = leave_out(prompts, "code")
        for path in paths:
            found.read(
                path,
                lambda raw: Domain(_CODE, with_foreign(read_code_sessions(raw, turns), foreign)),
            )


def _find(folder: str, pattern: str) -> list[str]:
    return sorted(glob.glob(os.path.join(glob.escape(folder), *pattern.split("/"))))
