"""Care: jobs, the checks of `engrain doctor`, a copy of the vault, and the settings."""

from __future__ import annotations

import time

from engrain.adapters.web.asking import Answer, Ask, Download, Moved, Page
from engrain.model.errors import UsageError

_LOGGED = 20
_PATIENCE = 2.0  # seconds that a page waits for a job


def show(ask: Ask) -> Answer:
    memory = ask.memory
    version, settings = ask.around.settings()
    values = {
        "jobs": memory.jobs.status(),
        "progress": ask.work.look(memory),
        "log": list(memory.jobs.log(_LOGGED))[::-1],
        "facts": ask.around.status(),
        "findings": ask.around.check(memory) if ask.get("check") else None,
        "settings": settings,
        "file_version": version,
        "open": bool(ask.get("settings")),
        "can_copy": ask.around.can_copy,
    }
    return Page("care.html", values)


def run_job(ask: Ask) -> Answer:
    """Run one job now, or all that are due, as `engrain jobs run` does. A long job goes on, and the
    page shows its progress."""
    ask.work.begin(ask.memory, ask.sent("job"))
    progress = ask.work.wait(_PATIENCE)
    lines = [*progress.lines, *(["the rest is at work"] if ask.work.busy else [])]
    return Moved("/care", "; ".join(lines) or "Nothing was due.")


def set_value(ask: Ask) -> Answer:
    """Set or unset a setting in the user's file, as `engrain config` does, unless the file has
    changed since the page was made."""
    name, value = ask.sent("name"), ask.sent("value").strip()
    unset = ask.sent("action") == "unset"
    if not unset and not value:
        raise UsageError("a setting needs a value", remedy="unset it to have its default")
    done = ask.around.set_value(name, None if unset else value, ask.sent("version"))
    return Moved("/care?settings=1#settings", done)


def back_up(ask: Ask) -> Answer:
    """Return the whole vault with its history as one file."""
    return Download(time.strftime("vault-%Y-%m-%d.tar"), ask.memory.backup())
