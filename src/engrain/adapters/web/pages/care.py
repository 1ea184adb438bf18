"""Care: jobs, the checks of `engrain doctor`, and what is on this device."""

from __future__ import annotations

from engrain.adapters.web.asking import Answer, Ask, Moved, Page

_LOGGED = 20
_PATIENCE = 2.0  # seconds that a page waits for a job


def show(ask: Ask) -> Answer:
    memory = ask.memory
    values = {
        "jobs": memory.jobs.status(),
        "progress": ask.work.look(memory),
        "log": list(memory.jobs.log(_LOGGED))[::-1],
        "facts": ask.around.status(),
        "findings": ask.around.check(memory) if ask.get("check") else None,
    }
    return Page("care.html", values)


def run_job(ask: Ask) -> Answer:
    """Run one job now, or all that are due, as `engrain jobs run` does. A long job goes on, and the
    page shows its progress."""
    ask.work.begin(ask.memory, ask.sent("job"))
    progress = ask.work.wait(_PATIENCE)
    lines = [*progress.lines, *(["the rest is at work"] if ask.work.busy else [])]
    return Moved("/care", "; ".join(lines) or "Nothing was due.")
