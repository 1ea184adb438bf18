"""The one lesson of a task that rules are certain of (DESIGN section 18): a command that failed and
later passed, named by the error's own line, with what changed in between.

Little is certain. A failure that the task made itself, a test that was red because nothing was
there yet, a typing error, a formatter's complaint and a search that found nothing teach nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engrain.engine.core.batches import ErasedContents
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.lexicons import read_regexes
from engrain.language.text.fences import code_span, quote_links, shorten
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.learn.reflection.by_rules import FIX
from engrain.learn.reflection.lanes import SURE, count_again
from engrain.learn.transcripts.actions import (
    COMMIT,
    INSTALL,
    RUN_COMMAND,
    VERDICTS,
    ToolAction,
    split_command,
)
from engrain.learn.transcripts.tasks import Failure, Fix, Task
from engrain.model.errors import ConflictError
from engrain.model.experience.episode import FAILURE, INTERRUPTED
from engrain.model.experience.traces import error_signature
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes, make_id
from engrain.model.note.tiers import ACTIVE, INBOX, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row

_RULES = read_regexes("experience", "lessons")
_COMMANDS = (RUN_COMMAND, INSTALL, COMMIT, *VERDICTS)
_ASIDE = re.compile(r"(?:^|(?<=\s))(?:[-•*] )?\[[^\[\]]{0,200}\]:? ?")
_SURE, _CONFIGURED, _EDITED = 0.85, 0.8, 0.7
"""Confidence of what a command put right, an edit of a configuration, and one of other files."""
_MOST_EDITED, _MOST_COMMANDS = 2, 2
_MOST_TITLE, _MOST_WHERE, _MOST_LINE, _SHOWN = 80, 30, 300, 200
_TIMES = 3
_INBOX = "_inbox"
_TRIAGE = "triage"
"""The job that proposes what waits, for `review`."""


@dataclass(slots=True, eq=False)
class Lesson:
    """What a task taught: a failure that was fixed, and how sure that is."""

    failure: Failure
    confidence: float


def find_lesson(task: Task) -> Lesson | None:
    """Return the lesson of a task, None where none is certain, or where the agent saved one itself.
    An edit teaches nothing where the work was not accepted."""
    if task.saved:
        return None
    accepted = task.outcome() not in (FAILURE, INTERRUPTED)
    found = [
        lesson
        for failure in task.fixes.failures
        if failure.fix
        and (accepted or not failure.fix.edits)
        and (lesson := _judge(failure, failure.fix))
    ]
    return max(found, key=lambda lesson: lesson.confidence, default=None)


def file_lesson(
    store: Store, task: Task, project: str | None, actor: Actor, erased: ErasedContents
) -> str:
    """File the lesson of a task, active or in the inbox by its confidence; return its id, "" where
    none was filed. What is known, waits, was thrown away or erased is not filed again."""
    lesson = find_lesson(task)
    if lesson is None:
        return ""
    episode = str(task.document()["id"])
    id_ = make_id(task.request.at or 0.0, bytes.fromhex(hash_bytes(episode.encode())[:20]))
    if store.find_exact(id_) is not None or erased.refuses_id(id_):
        return ""
    title = Redaction(store).clean(_title(lesson.failure, project or ""))
    if _is_known(store, task, episode, title, project or ""):
        return ""
    status = ACTIVE if lesson.confidence >= SURE else INBOX
    at = store.clock.now() if task.request.at is None else task.request.at
    fields: dict[str, Value] = {
        "id": id_,
        "kind": FIX,
        "status": status,
        "created": format_instant(at),
        "project": project,
        "derived_from": [episode],
        "confidence": lesson.confidence,
    }
    body = Redaction(store).clean(f"# {title}\n{_text(task, lesson, project or '')}")
    source = stamp_source(actor, "session", task.session.session or None)
    note = compose_new(store, fields, body, source)
    return id_ if _write(store, note, slugify(title, FIX), actor) else ""


def _write(store: Store, note: Note, stem: str, actor: Actor) -> bool:
    id_, waits = str(note.fields["id"]), note.fields["status"] == INBOX
    folder = f"Memory/{_INBOX}" if waits else kind_of(FIX).folder
    place = make_locator(f"{folder}/{stem}.md")
    if store.find_entry(place) is not None:
        place = make_locator(f"{folder}/{stem}-{id_[-8:]}.md")
    try:
        store.commit("learn", [Write(place, note.raw, id_)], actor=actor)
    except ConflictError:
        return False  # somebody wrote there this very moment: the next run looks again
    if waits:
        store.device.job_log.request(_TRIAGE, store.clock.now())
    return True


def _is_known(store: Store, task: Task, episode: str, title: str, project: str) -> bool:
    """Return whether a fix of a project says the same; one that waits counts the session."""
    known = _find_known(store, title, project)
    if known is not None and known.status == INBOX:
        count_again(store, known.id, _session_of(store, task, episode), _TIMES)
    return known is not None


def _find_known(store: Store, title: str, project: str) -> Row | None:
    """Return a fix of a project, of whichever status, whose title says the same."""
    signature = error_signature("", title)
    fixes = (
        row for row in store.index.find(Filter(kinds=(FIX,))) if (row.project or "") == project
    )
    return next((row for row in fixes if error_signature("", row.title) == signature), None)


def _session_of(store: Store, task: Task, episode: str) -> str:
    """Return the session of a task: in a copy of that, as its episode has it."""
    row = store.find_exact(episode)
    document = store.read_entry(row.locator).note.document if row is not None else {}
    return str(document.get("task_id") or task.session.session)


def _judge(failure: Failure, fix: Fix) -> Lesson | None:
    named = failure.type[:1].isupper()
    said = f"{failure.type}: {failure.message}" if named else failure.message
    if failure.action.name not in _COMMANDS or _RULES["trivial"].search(said):
        return None
    if not fix.describe(failure.action) or len(fix.commands) > _MOST_COMMANDS:
        return None
    sure = _judge_edits(failure, fix, said) if fix.edits else _judge_commands(failure, fix, said)
    return Lesson(failure, sure) if sure else None


def _judge_commands(failure: Failure, fix: Fix, said: str) -> float:
    told = fix.commands or _added(failure.action, fix.final)
    places = [_places(one.command) for one in (failure.action, fix.final)]
    if all(places) and places[0] != places[1]:
        return 0.0  # what works in another folder solved nothing
    return _SURE if told and _RULES["around"].search(said) else 0.0


def _places(command: str) -> list[str]:
    return [part for part in split_command(command) if part.startswith("cd ")]


def _judge_edits(failure: Failure, fix: Fix, said: str) -> float:
    files = {path for edit in fix.edits for path in edit.writes}
    if not 0 < len(files) <= _MOST_EDITED or not _RULES["named"].search(said):
        return 0.0
    configured = all(_RULES["configuration"].search(path) for path in files)
    # What fails once the task has begun to change files is its own unfinished work.
    if failure.changed and (not configured or files & failure.changed):
        return 0.0
    return _CONFIGURED if configured else _EDITED


def _added(failed: ToolAction, final: ToolAction) -> list[str]:
    """Return what a command line does before the command that failed in another one, less where it
    goes; the command itself where it is called otherwise."""
    *before, called = split_command(final.command) or [""]
    *known, first = split_command(failed.command) or [""]
    added = [part for part in before if part not in known and not part.startswith("cd ")]
    return added or ([called] if called.split()[:1] != first.split()[:1] else [])


def _line(failure: Failure) -> str:
    """Return the error's own line in plain form."""
    line = _ASIDE.sub("", _RULES["in_front"].sub("", failure.message)).strip(" .:")
    named = failure.type[:1].isupper() and failure.type not in line and failure.type != "Error"
    return f"{failure.type}: {line}" if named else line[:1].upper() + line[1:]


def _title(failure: Failure, project: str) -> str:
    line, program = _line(failure), failure.action.program
    where = ""
    if project and (_RULES["around"].search(line) or not program):
        where = f" in {project}"
    elif program and program.split()[0] not in line and len(program) <= _MOST_WHERE:
        where = f" at {program}"
    room = _MOST_TITLE - len(where)
    sentence = re.match(r".{15,}?(?=[.;](?: |$)| \()", line)
    if len(line) > room and sentence:
        line = sentence[0]
    return quote_links(shorten(line, room) + where)


def _text(task: Task, lesson: Lesson, project: str) -> str:
    failure, fix = lesson.failure, lesson.failure.fix
    folder = project or re.split(r"[\\/]", task.session.cwd.rstrip("\\/"))[-1]
    where = f" in {quote_links(folder)}" if folder else ""
    error = quote_links(shorten(failure.message, _MOST_LINE))
    about = f"session {task.session.session or 'without a name'}, "
    lines = f"line {failure.line}" + (f", solved by line {fix.line}" if fix else "")
    return (
        f"{code_span(shorten(failure.action.target, _SHOWN))} failed{where}:\n\n> {error}\n\n"
        f"What solved it: {_solved(lesson)}\n\nEvidence: {quote_links(about + lines)}.\n"
    )


def _solved(lesson: Lesson) -> str:
    failed, fix = lesson.failure.action, lesson.failure.fix
    if fix is None:
        return ""
    done = [
        f"edit of {code_span(one.target)}"
        + (f": {code_span(shorten(one.change, _SHOWN))}" if one.change else "")
        for one in fix.edits[-3:]
    ]
    done += [code_span(shorten(one.target, _SHOWN)) for one in fix.commands[-_MOST_COMMANDS:]]
    if not done:
        added = _added(failed, fix.final)
        first = [code_span(shorten(part, _SHOWN)) for part in added]
        if fix.final.command.endswith(added[-1]):
            return f"{first[-1]} instead."
        return f"{' and '.join(first)} before it, in the same command line."
    again = code_span(shorten(failed.target, 80))
    return f"{', then '.join(dict.fromkeys(done))}; then {again} passed."
