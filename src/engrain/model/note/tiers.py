"""The kinds of entries, and the ownership tiers and zones by an entry's place in the vault (S1.6,
S1.7, S1.8, S1.9).

A kind decides where an entry is filed, which tier owns it and how it fades. An unknown kind is
allowed, gets the defaults of `kind_of`, and is reported by `check`.

T2 is the vault's root, shared with the operator; T3 is `Memory/`, the agent's own. T1, the
operator's own notes, lies outside the vault.
"""

from __future__ import annotations

from dataclasses import dataclass

from engrain.language.text.folding import fold, name_key

COMMITMENT = "commitment"
ENTITY = "entity"
STATED_KINDS = ("preference", "feedback")
"""Kinds in which the operator says how work is to be done, until they are replaced."""
UNUSED, USED = 1, 2
"""Whether somebody here has read an imported entry by its id or built on it."""


@dataclass(slots=True, eq=False)
class Kind:
    """One row of the table.

    `folder` is relative to the vault's root, with `{project}` for the entry's project;
    `operator_folder` is the folder for statements of the operator, if that differs.
    `retention` is a class of the decay rule: normal, slow, protected, kept, confidence, episode.
    `projectless` kinds belong to no project unless one is named explicitly.
    """

    name: str
    folder: str
    retention: str = "normal"
    operator_folder: str | None = None
    projectless: bool = False


_ROWS = (
    Kind("preference", "Memory/preference", "slow", "preferences", projectless=True),
    Kind("feedback", "Memory/feedback", "slow", "feedback", projectless=True),
    Kind("workflow", "Memory/workflow"),
    Kind("fix", "Memory/fix"),
    Kind("decision", "Memory/decision"),
    Kind("domain-reference", "Memory/domain-reference"),
    Kind("skill-pointer", "Memory/skill-pointer"),
    Kind("insight", "Memory/insight"),
    Kind("idea", "Memory/_idea-incubator"),
    Kind("crystallized", "Memory/crystallized", "slow"),
    Kind("identity", "Memory/core", "protected"),
    Kind("value", "Memory/core", "protected"),
    Kind("relationship", "Memory/core", "protected"),
    Kind(COMMITMENT, "Memory/core", "protected"),
    Kind("memory", "Memory/active"),
    Kind("procedural", "Memory/procedural", "slow"),
    Kind("pattern", "Memory/pattern", "confidence"),
    Kind("anti-pattern", "Memory/anti-pattern", "confidence"),
    Kind("episode", "Memory/episodic", "episode"),
    Kind("learning", "Memory/learnings"),
    Kind(ENTITY, "Memory/entities", "kept"),
    Kind("daily", "Memory/daily"),
    Kind("design", "projects/{project}/designs", "kept"),
    Kind("plan", "projects/{project}/_harness", "kept"),
    Kind("roadmap", "projects/{project}", "kept"),
    Kind("progress", "projects/{project}", "kept"),
    Kind("opinion", "Memory/opinion", "slow"),
    Kind("persona", "Memory/persona", "slow"),
    Kind("handoff", "Memory/handoffs", "kept"),
    Kind("ledger", "Memory/ledgers", "kept"),
    Kind("checkpoint", "Memory/checkpoints", "kept"),
    Kind("continuity", "projects/{project}/_harness", "kept"),
    Kind("features", "projects/{project}/_harness", "kept"),
    Kind("kept-file", "Memory/kept-files", "kept"),
    Kind("proposal", "Memory/_dream-staging", "kept"),
)

KINDS: dict[str, Kind] = {row.name: row for row in _ROWS}

DEFAULT_KIND = "memory"
IMPORT_KIND = "domain-reference"


def kind_of(name: str) -> Kind:
    """Return the row for `name`; an unknown kind is filed under its own name and fades normally."""
    return KINDS.get(name) or Kind(name, f"Memory/{name}")


LIVE = "live"
INBOX = "inbox"
STAGING = "staging"
ARCHIVE = "archive"
WORKING = "working"
ZONES = (LIVE, INBOX, STAGING, ARCHIVE, WORKING)

_ZONES = {"_inbox": INBOX, "_dream-staging": STAGING, "_archive": ARCHIVE}
_WORKING_FOLDERS = (
    "Memory/ledgers/", "Memory/handoffs/", "Memory/checkpoints/", "Memory/kept-files/",
)  # fmt: skip
_WORKING_FILES = ("_harness/CONTINUITY.md", "_harness/features.json")
WORKING_KINDS = frozenset(
    ("continuity", "ledger", "handoff", "checkpoint", "features", "kept-file")
)
"""Kinds in the working zone, which have commands of their own and are not recalled."""

ACTIVE = "active"
SUPERSEDED = "superseded"
OPERATOR = "operator"
EXTERNAL = "external"
ORIGINS = (OPERATOR, "agent", "tool", EXTERNAL)
"""The origins of entries, the most trusted first (DESIGN section 6)."""
STATUSES = ("active", "inbox", "proposed", "superseded", "archived", "deleted")

_RECORD_FOLDERS = {
    "episodic": "episode",
    "learnings": "learning",
    "handoffs": "handoff",
    "ledgers": "ledger",
    "checkpoints": "checkpoint",
    "entities": "entity",
    "kept-files": "kept-file",
}

PERSONAL = "personal:"
"""Begins a link to a note of T1, which is no entry."""

SYSTEM_FOLDER = ".engrain"
MAP = "_index"
"""The name of a map of contents, and of the folder beside it with its further pages."""
COPY_MARK = ".sync-conflict-"
"""A part of a conflict copy's name, as Syncthing and Engrain write it."""
_GENERATED = frozenset((f"{MAP}.md", "index.json"))
# Further pages of earlier versions, and copies that Syncthing, Dropbox and iCloud make when two
# devices wrote one page.
_MAP_PAGES = (f"{MAP}-", f"{MAP}.sync-conflict-", f"{MAP} (", *(f"{MAP} {n}" for n in range(10)))
PROJECTS = "projects"
_ENTITIES = ("Memory/entities/", "Memory/_archive/entities/")


def is_conflict_copy(path: str) -> bool:
    """Whether a file has the name of a copy that is kept when two programs wrote one file."""
    return COPY_MARK in path.rpartition("/")[2]


def tier_of(path: str) -> str:
    """Return `T3` under `Memory/`, else `T2`."""
    return "T3" if path.startswith("Memory/") else "T2"


def zone_of(path: str) -> str:
    """Return the reserved zone of a path: live, inbox, staging, archive or working."""
    for part in path.split("/")[:-1]:
        if part in _ZONES:
            return _ZONES[part]
    if path.startswith(_WORKING_FOLDERS) or path.endswith(_WORKING_FILES):
        return WORKING
    return LIVE


def in_always_load(path: str) -> bool:
    """Whether a path lies in a folder that every session gets."""
    return "_always-load" in path.split("/")[:-1]


def project_of(path: str) -> str | None:
    """Return the project in whose folder a path lies, None if it is in none."""
    first, _, rest = path.partition("/")
    project, below, _ = rest.partition("/")
    return project if first == "projects" and below else None


def archive_folder(path: str) -> str:
    """Return the folder that archives the entry at `path`: the same one below its tier's
    `_archive`."""
    folder = path.rpartition("/")[0]
    if path.startswith("Memory/"):
        return "/".join(["Memory/_archive", *folder.split("/")[1:]])
    return "/".join(part for part in ("_archive", folder) if part)


class Naming:
    """Decides which files of one folder are entries: markdown that is not generated, and JSON in a
    folder of records."""

    __slots__ = ("_endings", "_generated", "_mapped", "_pages")

    def __init__(self, folder: str) -> None:
        self._endings = (".md", ".json") if record_kind(folder) else (".md",)
        self._generated = _generated_in(folder)
        self._mapped = _has_map(folder)
        self._pages = _has_pages(folder)

    def admits(self, name: str) -> bool:
        """Whether a file with this name is an entry."""
        if self._pages or (self._mapped and name.startswith(_MAP_PAGES)):
            return False
        return name.endswith(self._endings) and name[0] != "." and name not in self._generated


def is_generated(path: str) -> bool:
    """Whether Engrain generates the file at a path, so that it is no entry."""
    folder, _, name = path.rpartition("/")
    return name in _generated_in(folder) or is_map(path)


def is_map(path: str) -> bool:
    """Whether the file at a path is a map of contents, a further page of one, or a synchroniser's
    copy of one."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".md"):
        return False
    own = name == f"{MAP}.md" or name.startswith(_MAP_PAGES)
    return (own and _has_map(folder)) or _has_pages(folder)


def map_page(folder: str, key: str = "", number: int = 1) -> str:
    """Return the place of a folder's map, or of a page of its section `key` (a slug)."""
    page = f"/{key}" if key else ""
    more = f".{number}" if number > 1 else ""  # no slug has a dot
    return f"{folder}/{MAP}{page}{more}.md" if folder else f"{MAP}{page}{more}.md"


def _has_map(folder: str) -> bool:
    """Whether a folder gets a map: the vault's root, the agent's folder, and each project's."""
    return folder in ("", "Memory") or (
        folder.startswith(f"{PROJECTS}/") and folder.count("/") == 1
    )


def _has_pages(folder: str) -> bool:
    """Whether a folder has the further pages of a map."""
    above, _, name = folder.rpartition("/")
    return name == MAP and _has_map(above)


def _generated_in(folder: str) -> frozenset[str]:
    if folder.startswith(_ENTITIES):
        return _GENERATED | {"summary.md"}
    return _GENERATED | {"ARCHITECTURE.md"} if folder == "Memory" else _GENERATED


def record_kind(folder: str) -> str:
    """Return the kind of the JSON records in a folder, "" if it has none."""
    first, _, rest = folder.partition("/")
    if first == "projects":
        return "features" if rest.partition("/")[2] == "_harness" else ""
    if first != "Memory" or not rest:
        return ""
    rest = rest.removeprefix("_archive/")
    return _RECORD_FOLDERS.get(rest.partition("/")[0], "")


def split_ending(path: str) -> tuple[str, str]:
    """Return a file's name without its ending, and the ending: `.json` or `.md`."""
    name = path.rpartition("/")[2]
    ending = ".json" if name.endswith(".json") else ".md"
    return name.removesuffix(ending), ending


def link_key(path: str) -> str:
    """Return the key of the file that a path leads to: its last part without `.md`, folded."""
    if path.startswith(PERSONAL):
        return fold(path)  # A path among the operator's notes never means an entry.
    return name_key(path.strip().rstrip("/").rpartition("/")[2])
