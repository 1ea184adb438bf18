"""The tools of the MCP server as functions that know no protocol (S1.13).

Arguments come from a model, so they are checked. Texts come from whoever wrote the vault, so they
are cleaned and, if a model reads them, fenced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engrain.adapters.mcp.description import TOOLS
from engrain.adapters.present.failures import error_line
from engrain.adapters.present.records import describe_like, describe_outcome
from engrain.adapters.present.tasks import describe_task
from engrain.adapters.present.text import (
    AVOID,
    HEADING,
    NEAREST,
    RELEVANT,
    SHORT,
    SKILLS,
    VERSION,
    beyond_title,
    day_of,
    describe_left_out,
    disarm,
    disarm_line,
    excerpt,
    fence,
    fence_parts,
    make_mark,
    name_version,
    outcome_lines,
    shorten_id,
    unstyle,
)
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.core.scope import Scope, read_end
from engrain.engine.recall.profiles import DEFAULT_PROFILE, STANDING
from engrain.engine.recall.tool_moment import ToolCall
from engrain.language.text.fences import close_fence, open_fence
from engrain.lifecycle.sessions.sessions import check_session
from engrain.model.errors import IndexUnavailableError, NotFoundError, UsageError
from engrain.model.note.note import is_id
from engrain.model.note.tiers import KINDS

if TYPE_CHECKING:
    from engrain.adapters.mcp.description import Json
    from engrain.adapters.present.records import Data
    from engrain.api.memory import Memory
    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.core.recalled import Recall, Recalled
    from engrain.model.errors import EngrainError
    from engrain.model.note.entry import Entry
    from engrain.seam.rows import Row


NOTHING = "Nothing in memory matches."
_TOOL = "tool"
"""The profile of a moment within a turn, which hooks alone ask for: no model is told of it."""
_EXCERPT = 160  # characters
_OPTION = re.compile(r"(?<![\w-])--([a-z]+)(?![\w-])")
_SEARCH_TOKENS = 200_000
"""A budget that cuts no list short, since a search shows only the beginnings of texts."""
_NEAREST_HEADING = f"{HEADING}\n{NEAREST}"
"""The heading of a block of entries of which none surely fits."""


@dataclass(slots=True)
class ToolAnswer:
    """The answer of a tool: text for a model, and the same as data for a program."""

    text: str
    data: Data


def call(
    memory: Memory, tool: str, arguments: Json, *, project: str | None = None, session: str = ""
) -> ToolAnswer:
    """Run the tool of that name for a client in this project and session.

    Raises UsageError for an unknown tool or a wrong argument, and what the tool raises.
    """
    if tool not in _CALLS:
        raise UsageError(f"unknown tool {tool[:80]!r}", remedy=f"there are {', '.join(_CALLS)}")
    (schema,) = (one["inputSchema"] for one in TOOLS if one["name"] == tool)
    try:
        given = read_arguments(schema, arguments)
    except UsageError as error:
        raise UsageError(f"{tool}: {error.message}") from None
    if project:
        memory = memory.within(project)
    if tool == "memory_append":
        given["session"] = session
    return _CALLS[tool](memory, **given)


def describe_error(error: EngrainError) -> str:
    """Return the line about an error for a model: it may quote the vault. Options of the command
    line are arguments of the tools, by the same names."""
    return disarm_line(_OPTION.sub(r"\1", error_line(error)))


def read_arguments(schema: Json, arguments: Json) -> Json:
    """Return a value for each parameter of a schema: the argument, else the default, else None.

    Clients and models mean well and write loosely, so a value is taken for what it says: digits for
    a number, JSON, lines or commas for a list, a list of one for the one. A null counts as missing,
    and so does an empty text where nothing is required. Raises UsageError.
    """
    properties: dict[str, Json] = schema["properties"]
    for name in arguments:
        if name not in properties:
            raise UsageError(f"{name[:80]}: there is no such argument")
    given: Json = {}
    for name, rule in properties.items():
        is_required = name in schema["required"]
        value = _read_value(name, rule, arguments.get(name), is_required)
        if value is None and is_required:
            raise UsageError(f"{name}: is missing")
        given[name] = rule.get("default") if value is None else value
    return given


_FREE = ("title", "reason")
"""Arguments in which any word may be meant."""
_ABSENT = ("", "null", "none", "undefined")
"""What is written where there is no value."""


def _read_value(name: str, rule: Json, value: object, is_required: bool) -> object:
    if value is None:
        return None
    if rule["type"] == "array":
        return _read_list(name, value) or None
    text = _read_text(value)
    if text is None:
        raise UsageError(f"{name}: is no {'whole number' if 'minimum' in rule else 'text'}")
    if is_required:
        return text
    word = text.strip()
    if not word or (word.lower() in _ABSENT and name not in _FREE):
        return None
    if rule["type"] == "integer":
        return _read_count(name, rule, word)
    return _read_choice(name, rule, word) if "enum" in rule else text


def _read_text(value: object) -> str | None:
    """Read a text: as it is, a number, or a list of one; None for anything else."""
    if isinstance(value, list) and len(value) <= 1:
        return _read_text(value[0]) if value else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def _read_choice(name: str, rule: Json, word: str) -> str:
    if word.lower() not in rule["enum"] and (name, word) != ("profile", _TOOL):
        raise UsageError(f"{name}: {word[:80]!r} is none of {', '.join(rule['enum'])}")
    return word.lower()


def _read_list(name: str, value: object) -> list[str]:
    """Read a list of texts: as a list, as JSON, or with lines or commas between them. Raises
    UsageError."""
    if isinstance(value, list) and len(value) == 1 and str(value[0]).lstrip()[:1] == "[":
        value = value[0]
    if isinstance(value, str):
        value = _parse_list(value.strip())
    words = value if isinstance(value, list) else [value]
    if not all(type(word) in (str, int, float, type(None)) for word in words):
        raise UsageError(f"{name}: is no list of texts")
    texts = ["" if word is None else str(word).strip() for word in words]
    return [text for text in texts if text]


def _parse_list(text: str) -> object:
    if text[:1] in ("[", '"', "'"):
        try:
            read = json.loads(text)
            return _split_list(read) if isinstance(read, str) else read
        except (ValueError, RecursionError):
            text = text.removeprefix("[").removesuffix("]")
    return [] if text.lower() in _ABSENT else _split_list(text)


def _split_list(text: str) -> list[str]:
    return [word.strip().strip("\"'") for word in text.replace("\n", ",").split(",")]


def _read_count(name: str, rule: Json, value: str) -> int:
    try:
        count = int(float(value))
        if count != float(value):
            raise ValueError
    except (ValueError, OverflowError):
        raise UsageError(f"{name}: {value[:80]!r} is no whole number") from None
    if not rule["minimum"] <= count <= rule["maximum"]:
        raise UsageError(f"{name}: is not from {rule['minimum']} to {rule['maximum']}")
    return count


def search(
    memory: Memory,
    query: str | None,
    *,
    limit: int,
    kind: str | None,
    tag: str | None,
    since: str | None,
    until: str | None,
    project: str | None,
) -> ToolAnswer:
    """Find the entries that fit, each in three lines; where none surely does, the nearest ones,
    below a line that says so. Without a query list the newest entries. Raises UsageError for a
    bound that is no time."""
    scope = Scope(
        kinds=[kind] if kind else [],
        tags=[tag] if tag else [],
        since=since,
        until=until,
        project=project,
    )
    if query is None:
        return _list_newest(memory, scope, limit)
    found = memory.recall(query, limit=limit, budget=_SEARCH_TOKENS, scope=scope)
    records = [_describe_beginning(one) for one in found.results]
    nearest = [_describe_beginning(one) for one in found.nearest[:limit]]
    mark = make_mark()
    heading = _NEAREST_HEADING if nearest else HEADING
    text = fence_parts([*map(_line_up, records or nearest)], mark, heading=heading)[0] or NOTHING
    data: Data = {
        "results": records,
        **({"nearest": nearest} if nearest else {}),
        "degraded": found.degraded,
    }
    return ToolAnswer(text, _enclose(data, mark, heading))


def _list_newest(memory: Memory, scope: Scope, limit: int) -> ToolAnswer:
    """List the newest entries, each in a line."""
    listing = memory.list(scope=scope, limit=limit)
    records = [{**_describe(row), "excerpt": ""} for row in listing.rows]
    mark = make_mark()
    heading = f"{HEADING}\nThe newest {len(records)} of {listing.total} entries."
    text = fence_parts([*map(_line_up, records)], mark, heading=heading)[0] or NOTHING
    return ToolAnswer(text, _enclose({"results": records, "total": listing.total}, mark, heading))


def recall(
    memory: Memory,
    query: str,
    *,
    budget: int,
    profile: str,
    phase: str | None,
    project: str | None,
    action: str | None = None,
) -> ToolAnswer:
    """Recall whole texts within a budget of tokens, fenced, each part of an answer under its
    heading; where none surely fits, the nearest, below a line that says so. A blank query asks for
    the briefing of a session's start; the profile `tool` for what is known about the error that an
    `action` printed, or about the files whose paths are the query's lines."""
    if not query.strip() and profile == DEFAULT_PROFILE:
        return _brief(memory, budget, phase, project)
    found: Recall
    if profile == _TOOL:
        failed = ToolCall(action or "", query, failed=True)
        call = failed if action else ToolCall(paths=query.split("\n"))
        found = memory.at_tool(call, project=project)
    else:
        # The server knows no session of the client, so this counts to that of the day (S3.4).
        found = memory.recall(
            query,
            session="",
            repeat=True,
            budget=budget,
            profile=profile,
            phase=phase,
            action=action,
            scope=Scope(project=project),
        )
    mark = make_mark()
    data: Data = {
        "results": [_describe_whole(one) for one in found.results],
        **_describe_parts(found),
        **({"nearest": [_describe_whole(one) for one in found.nearest]} if found.nearest else {}),
        "tokens": found.tokens,
        "over_budget": found.over_budget,
        "degraded": found.degraded,
    }
    if found.given:
        text = _fence_recall(found, mark)
        if found.over_budget:
            text += f"\n{found.over_budget} more did not fit the budget."
    elif found.over_budget:
        text = f"{found.over_budget} entries fit the query, but none the budget: raise it."
    else:
        text = fence(found.nearest, mark, heading=_NEAREST_HEADING) or NOTHING
    heading = _NEAREST_HEADING if found.nearest else HEADING
    return ToolAnswer(text, _enclose(data, mark, heading))


def _brief(memory: Memory, budget: int, phase: str | None, project: str | None) -> ToolAnswer:
    """Return the briefing of a session's start, in a project and a phase of work."""
    found: list[Recalled] = []
    left_out, further = 0, ""
    degraded = None
    try:
        for part in memory.brief(phase=phase, project=project, budget=budget):
            found += part.results
            left_out += part.left_out
            if part.name == STANDING:
                further = describe_left_out(part.left_out, part.titles)
    except IndexUnavailableError as error:
        degraded = error.message
    mark = make_mark()
    data: Data = {
        "results": [_describe_whole(one) for one in found],
        "tokens": sum(one.tokens for one in found),
        "over_budget": left_out,
        "degraded": degraded,
    }
    heading = HEADING + further
    text = fence(found, mark, heading=heading) or NOTHING
    return ToolAnswer(text, _enclose(data, mark, heading))


def _enclose(data: Data, mark: str, note: str) -> Data:
    """Return data in a fence, since some hosts show a model nothing else: its first value is the
    line before a block, its last the line behind it, and the names keep that order if sorted."""
    return {"about": open_fence(mark), "note": note, **data, "until": close_fence(mark)}


def _describe_parts(found: Recall) -> Data:
    """Return the parts of a recall before a task, each entry in one line for a model."""
    parts: Data = {}
    for name, part in describe_task(found).items():
        parts[name] = [{**_disarm_each(one), "id": shorten_id(str(one["id"]))} for one in part]
    return parts


def _fence_recall(found: Recall, mark: str) -> str:
    """Return one fenced block, or for a task one for each part of the answer."""
    if not isinstance(found, TaskRecall):
        return fence(found.results, mark)
    parts = {RELEVANT: found.results, AVOID: found.avoid_these, SKILLS: found.skills}
    return "\n\n".join(f"{heading}\n{fence(part, mark)}" for heading, part in parts.items() if part)


def append(
    memory: Memory,
    text: str,
    *,
    title: str | None,
    kind: str | None,
    tags: Sequence[str] | None,
    project: str | None,
    supersedes: str | None = None,
    until: str | None = None,
    stated_by: str | None = None,
    session: str = "",
) -> ToolAnswer:
    """Save one memory, which holds `until` the end of a day; a known one is left as it is. The
    memories of one `session` form a thread; without it the current session counts, if any.

    With `supersedes` (`id@hash`) it replaces that entry, unless the entry has changed since or has
    a more trusted origin: then the operator decides. Raises UsageError, also for an unknown kind;
    ConflictError, NotFoundError.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"unknown kind {kind[:80]!r}", remedy=f"use one of {', '.join(KINDS)}")
    stated_by = None if stated_by == "agent" else stated_by
    ref = check_session(session) if session else memory.journal.current() or None
    if supersedes is None:
        outcome = memory.save(
            text,
            title=title,
            kind=kind,
            tags=tags,
            project=project,
            valid_to=read_end(until),
            source="mcp",
            ref=ref,
            stated_by=stated_by,
        )
        outcome.like = memory.find_older(outcome)
        return _describe_outcome(outcome)
    if until is not None:
        raise UsageError("until: goes with a new entry, not with supersedes")
    entry, _, version = supersedes.partition("@")
    if len(version) < VERSION:
        raise UsageError(
            f"{supersedes[:80]!r} is no id@hash",
            remedy="search for the id: memory_search and memory_recall show both",
        )
    replaced = _find_exactly(memory, entry)
    outcome = memory.replace(
        replaced.id,
        text,
        expect=version,
        title=title,
        kind=kind,
        tags=tags,
        project=project,
        source="mcp",
        ref=ref,
        stated_by=stated_by,
    )
    return _describe_outcome(outcome)


def forget(memory: Memory, id: str, *, reason: str | None) -> ToolAnswer:  # noqa: A002
    """Delete the entry of this id softly. Raises NotFoundError."""
    found = _find_exactly(memory, id)
    return _describe_outcome(memory.forget(found.id, reason or ""))


def _find_exactly(memory: Memory, entry: str) -> Entry:
    """Return the entry of this id, whole or as it is shown, with or without a version: a path, a
    slug or less of an id would let a model guess. Raises NotFoundError."""
    id_ = entry.strip().partition("@")[0]
    try:
        found = memory.show(id_).entry
    except (NotFoundError, UsageError):
        found = None
    is_shown = found and is_id(found.id) and len(id_) >= SHORT and found.id.startswith(id_)
    if found is None or not (is_shown or found.id == id_):
        raise NotFoundError(
            f"no entry has the id {entry[:80]!r}",
            remedy="give an id as memory_search and memory_recall show it",
        )
    return found


def _describe_outcome(outcome: Outcome) -> ToolAnswer:
    version = name_version(outcome)
    text = disarm("\n".join(map(unstyle, outcome_lines(outcome))))
    data = _disarm_each(describe_outcome(outcome))
    del data["hash"]
    data["id"] = version
    if outcome.other:
        data["other"] = shorten_id(outcome.other)
    text = text.replace(outcome.id, version, 1)
    if like := outcome.like:
        shown = name_version(like)
        data["like"] = {**describe_like(like), "id": shown, "title": disarm_line(like.title)}
        text = text.replace(like.id, shown, 1)
    return ToolAnswer(text, data)


def _disarm_each(data: Data) -> Data:
    """Return plain data whose texts, at any depth, are disarmed."""
    return {name: _disarm_value(value) for name, value in data.items()}


def _disarm_value(value: object) -> object:
    if isinstance(value, dict):
        return _disarm_each(value)
    if isinstance(value, list):
        return [_disarm_value(one) for one in value]
    return disarm_line(value) if isinstance(value, str) else value


def _describe(row: Row) -> Data:
    return {
        "id": name_version(row),
        "title": disarm_line(row.title),
        "kind": disarm_line(row.kind),
        "date": day_of(row.created),
        "trust": disarm_line(row.source),
        "score": round(row.score, 3),
    }


def _describe_beginning(found: Recalled) -> Data:
    text = beyond_title(found.row.title, found.text)
    return {**_describe(found.row), "excerpt": disarm_line(excerpt(text, _EXCERPT))}


def _describe_whole(found: Recalled) -> Data:
    return {
        **_describe(found.row),
        "part": found.part,
        "contradicts": [shorten_id(id_) for id_ in found.contradicts],
        **({"fact": disarm_line(found.fact)} if found.fact else {}),
        **({"asking": found.asking} if found.asking else {}),
        **({"older": True} if found.older else {}),
        "text": disarm(found.text).strip(),
    }


def _line_up(record: Data) -> str:
    said = (record["title"], record["excerpt"])
    return "[{kind} {date} {trust} {id}] ".format_map(record) + "\n".join(
        str(line) for line in said if line
    )


_CALLS: dict[str, Callable[..., ToolAnswer]] = {
    "memory_search": search,
    "memory_recall": recall,
    "memory_append": append,
    "memory_forget": forget,
}
