"""Care: jobs, the checks of `engrain doctor`, and the settings with what each means."""

from __future__ import annotations

from threading import Thread

from engrain.adapters.web.asking import Answer, Ask, Moved, Page
from engrain.lifecycle.jobs.runner import JobRun
from engrain.model.errors import EngrainError

_LOGGED = 20
_PATIENCE = 2.0  # seconds that a page waits for a job


def show(ask: Ask) -> Answer:
    memory = ask.memory
    jobs = memory.jobs.status()
    values = {
        "jobs": jobs,
        "at_work": any(one.status and one.status.ended is None for one in jobs),
        "log": list(memory.jobs.log(_LOGGED))[::-1],
        "facts": ask.around.status(),
        "findings": ask.around.check(memory) if ask.get("check") else None,
        "settings": ask.around.settings(),
    }
    return Page("care.html", values)


def run_job(ask: Ask) -> Answer:
    """Run one job now, or all that are due, as `engrain jobs run` does. One that takes its time
    goes on, and the page tells how it went."""
    name = ask.sent("job")
    runs: list[JobRun] = []
    failed: list[EngrainError] = []

    def run() -> None:
        try:
            ask.memory.jobs.run(
                [name] if name else None, due=None if name else True, tell=runs.append
            )
        except EngrainError as error:
            failed.append(error)

    at_work = Thread(target=run, name="jobs", daemon=True)
    at_work.start()
    at_work.join(_PATIENCE)
    if failed:
        raise failed[0]
    told = [f"{one.name}: {one.error or one.outcome}" for one in runs]
    if at_work.is_alive():
        told.append("the rest is at work")
    return Moved("/care", "; ".join(told) or "Nothing was due.")
