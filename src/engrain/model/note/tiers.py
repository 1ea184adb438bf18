"""Ownership tiers and zones, by an entry's place in the vault (S1.7, S1.8, S1.9).

T2 is the vault's root, shared with the operator; T3 is `Memory/`, the agent's own. T1 lies above
the root and has no place here.
"""

from __future__ import annotations

LIVE = "live"
INBOX = "inbox"
STAGING = "staging"
ARCHIVE = "archive"
WORKING = "working"
ZONES = (LIVE, INBOX, STAGING, ARCHIVE, WORKING)

_ZONES = {"_inbox": INBOX, "_dream-staging": STAGING, "_archive": ARCHIVE}
_WORKING_FOLDERS = ("Memory/ledgers/", "Memory/handoffs/", "Memory/checkpoints/")
_WORKING_FILES = ("_harness/CONTINUITY.md", "_harness/features.json")
WORKING_KINDS = frozenset(("continuity", "ledger", "handoff", "checkpoint", "features"))
"""Kinds that lie in the working zone: recall is not asked for them, each has its own way in."""

ACTIVE = "active"
SUPERSEDED = "superseded"
OPERATOR = "operator"
EXTERNAL = "external"
ORIGINS = (OPERATOR, "agent", "tool", EXTERNAL)
"""Whom an entry may come from, the most trusted first (DESIGN section 6)."""
STATUSES = ("active", "inbox", "proposed", "superseded", "archived", "deleted")

_RECORD_FOLDERS = {
    "episodic": "episode",
    "learnings": "learning",
    "handoffs": "handoff",
    "ledgers": "ledger",
    "checkpoints": "checkpoint",
    "entities": "entity",
}

PERSONAL = "personal:"
"""How a link to a note of T1 begins. It is the operator's, and means no entry."""

SYSTEM_FOLDER = ".engrain"
MAP = "_index"
"""The name of a map of contents, and of the folder beside it that has its further pages."""
COPY_MARK = ".sync-conflict-"
"""Stands in the name of a conflict copy, as Syncthing and Engrain call one."""
_GENERATED = frozenset((f"{MAP}.md", "index.json"))
# Further pages of earlier versions, and what Syncthing, Dropbox and iCloud call a copy where two
# devices wrote one.
_MAP_PAGES = (f"{MAP}-", f"{MAP}.sync-conflict-", f"{MAP} (", *(f"{MAP} {n}" for n in range(10)))
PROJECTS = "projects"
_ENTITIES = ("Memory/entities/", "Memory/_archive/entities/")


def is_conflict_copy(path: str) -> bool:
    """Whether a file is called like the copy that is kept where two programs wrote one file."""
    return COPY_MARK in path.rpartition("/")[2]


def tier_of(path: str) -> str:
    """`T3` under `Memory/`, else `T2`."""
    return "T3" if path.startswith("Memory/") else "T2"


def zone_of(path: str) -> str:
    """The reserved zone a path lies in: live, inbox, staging, archive or working."""
    for part in path.split("/")[:-1]:
        if part in _ZONES:
            return _ZONES[part]
    if path.startswith(_WORKING_FOLDERS) or path.endswith(_WORKING_FILES):
        return WORKING
    return LIVE


def in_always_load(path: str) -> bool:
    """Whether a path lies in the folder of what every session gets."""
    return "_always-load" in path.split("/")[:-1]


def project_of(path: str) -> str | None:
    """The project in whose folder a path lies, by the folder's name."""
    first, _, rest = path.partition("/")
    project, below, _ = rest.partition("/")
    return project if first == "projects" and below else None


def archive_folder(path: str) -> str:
    """Where the entry at `path` is retired: its tier's `_archive`, same folders below."""
    folder = path.rpartition("/")[0]
    if path.startswith("Memory/"):
        return "/".join(["Memory/_archive", *folder.split("/")[1:]])
    return "/".join(part for part in ("_archive", folder) if part)


class Naming:
    """Which names in one folder are entries': markdown that nobody generates, and JSON where a
    folder has records."""

    __slots__ = ("_endings", "_generated", "_mapped", "_pages")

    def __init__(self, folder: str) -> None:
        self._endings = (".md", ".json") if record_kind(folder) else (".md",)
        self._generated = _generated_in(folder)
        self._mapped = _has_map(folder)
        self._pages = _has_pages(folder)

    def admits(self, name: str) -> bool:
        """Whether a file of this name is an entry."""
        if self._pages or (self._mapped and name.startswith(_MAP_PAGES)):
            return False
        return name.endswith(self._endings) and name[0] != "." and name not in self._generated


def is_generated(path: str) -> bool:
    """Whether Engrain makes the file at a path from others: it is no entry."""
    folder, _, name = path.rpartition("/")
    return name in _generated_in(folder) or is_map(path)


def is_map(path: str) -> bool:
    """Whether the file at a path is a map of contents, a further page of one, or a copy that a
    synchroniser made of one."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".md"):
        return False
    own = name == f"{MAP}.md" or name.startswith(_MAP_PAGES)
    return (own and _has_map(folder)) or _has_pages(folder)


def map_page(folder: str, key: str = "", number: int = 1) -> str:
    """Where the map of a folder lies, or the page of that number of its section `key`, a slug."""
    page = f"/{key}" if key else ""
    more = f".{number}" if number > 1 else ""  # no slug has a dot
    return f"{folder}/{MAP}{page}{more}.md" if folder else f"{MAP}{page}{more}.md"


def _has_map(folder: str) -> bool:
    """Whether a folder gets a map: the vault's root, the agent's part, and each project's."""
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
    """The kind of the records of JSON that lie in a folder, "" where none do."""
    first, _, rest = folder.partition("/")
    if first == "projects":
        return "features" if rest.partition("/")[2] == "_harness" else ""
    if first != "Memory" or not rest:
        return ""
    rest = rest.removeprefix("_archive/")
    return _RECORD_FOLDERS.get(rest.partition("/")[0], "")


def split_ending(path: str) -> tuple[str, str]:
    """A file's name without its ending, and the ending: `.json` of a record, else `.md`."""
    name = path.rpartition("/")[2]
    if name.endswith(".json"):
        return name[:-5], ".json"
    return name.removesuffix(".md"), ".md"
