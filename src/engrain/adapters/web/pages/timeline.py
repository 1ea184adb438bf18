"""Timeline: the changes with their agents and times, each as a diff, and their undo."""

from __future__ import annotations

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.adapters.web.words import describe_change, describe_changes, group_by_day
from engrain.engine.history.history import FileVersion
from engrain.lifecycle.reviewing.staging import compose_diff
from engrain.model.errors import ConflictError, NotFoundError

_SHOWN = 100
_MOST = 5000
_FINAL = ("erase", "erasing")


def show(ask: Ask) -> Answer:
    limit, entry = ask.number("limit", _SHOWN, _MOST), ask.get("id")
    agent, device = ask.get("agent"), ask.get("device")
    changes = ask.memory.history(entry or None, limit)
    more = len(changes) == limit < _MOST
    agents = sorted({one.agent for one in changes if one.agent})
    devices = sorted({one.device for one in changes})
    if agent or device:
        changes = [
            one
            for one in changes
            if (not agent or one.agent == agent) and (not device or one.device == device)
        ]
    titles = ask.memory.titles({one.entry for one in changes})
    values = {
        "title": titles.get(entry) or entry,
        "days": group_by_day(describe_changes(changes, titles)),
        "agents": agents,
        "devices": devices,
        "asked": {"id": entry, "agent": agent, "device": device},
        "next": min(limit * 2, _MOST) if more else 0,
    }
    return Page("timeline.html", values)


def show_change(ask: Ask) -> Answer:
    shown = ask.memory.show_change(ask.get("name"))
    files = [(file, _diff(file)) for file in shown.files]
    titles = ask.memory.titles({file.entry for file in shown.files})
    values = {"shown": shown, "files": files, "final": _FINAL, "titles": titles}
    return Page("change.html", {**values, "told": describe_change(shown, titles)})


def plan(ask: Ask) -> Answer:
    """Show the changes that an undo would take back too."""
    name = ask.get("name")
    shown = ask.memory.show_change(name)
    titles = ask.memory.titles({file.entry for file in shown.files})
    refused = ""
    try:
        derived = ask.memory.plan_undo(name)
    except (ConflictError, NotFoundError) as error:
        derived, refused = [], error.message
    values = {"shown": shown, "derived": derived, "refused": refused, "titles": titles}
    return Page("undo.html", {**values, "told": describe_change(shown, titles)})


def undo(ask: Ask) -> Answer:
    """Undo a change, as `engrain undo CHANGE` does."""
    undone = ask.memory.undo(
        ask.sent("name"), ask.sent("reason").strip(), cascade=ask.sent("cascade") == "yes"
    )
    told = f"Taken back by {undone.change}; undoing that brings it back."
    if undone.erased:
        told += f" Left, because their bytes were erased: {', '.join(undone.erased)}."
    return Moved(f"/change?name={undone.change}", told)


def _diff(file: FileVersion) -> list[str]:
    before, after = (
        raw.decode(errors="replace") if raw is not None else "" for raw in (file.before, file.after)
    )
    place = file.path if file.after is not None else "nothing"
    return compose_diff([(file.path if file.before is not None else "", before, place, after)])
