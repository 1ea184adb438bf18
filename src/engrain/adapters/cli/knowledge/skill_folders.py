"""`skill export`: write skills into folders, as agents' hosts load them."""

from __future__ import annotations

import os

from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import Arguments, resolve_from
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.model.errors import ConflictError, EngrainError, StorageError, UsageError
from engrain.model.experience.folders import MAIN


def export_skills(args: Arguments, memory: Memory) -> tuple[Data, list[str]]:
    """Write skills as folders; one that is in the way stops none of the others."""
    *references, folder = args.words
    vault = os.path.realpath(resolve_from(args).location)
    if f"{os.path.realpath(folder)}/".startswith(f"{vault}/"):
        raise UsageError("the folder lies in the vault", path=folder, remedy="name one outside")
    problems: list[tuple[str, str]] = []
    if args.all:
        for skill in memory.skills.list(scope=Scope(all_projects=args.all_projects)):
            if skill.origin == "external":
                why = "its origin is external: `engrain review vouch` it first"
                problems.append((skill.row.id, why))
            else:
                references.append(skill.row.id)
    given: list[Data] = []
    failed: EngrainError | None = None
    for reference in references:
        try:
            name, raw = memory.skills.export(reference)
            given.append({"name": name, "path": write_folder(folder, name, raw, force=args.force)})
        except EngrainError as error:
            failed = failed or error
            problems.append((reference, error.message))
    if failed and not given and not args.all:
        raise failed
    lines = [f"{style('title', str(one['name']))}  {clean_line(str(one['path']))}" for one in given]
    lines = lines or ["No skill was written."]
    lines += [f"left out: {clean_line(about)}: {clean_line(why)}" for about, why in problems]
    described = [{"about": about, "message": why} for about, why in problems]
    return {"skills": given, "problems": described}, lines


def write_folder(folder: str, name: str, raw: bytes, *, force: bool = False) -> str:
    """Write `SKILL.md` into the skill's own folder below `folder`; return that. An existing one is
    refused without `force`, and keeps its other files with it. Raises ConflictError,
    StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its file"
        )
    if os.path.islink(place):
        raise ConflictError(f"{place} is a link", path=place, remedy="remove it first")
    try:
        os.makedirs(place, exist_ok=True)
        write_anew(os.path.join(place, MAIN), [raw], force=True, mode=0o666)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place
