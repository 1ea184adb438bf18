"""Home: the state of the memory in words and numbers, and what was done last."""

from __future__ import annotations

import time

from engrain.adapters.web.asking import Answer, Ask, Page

_MONTHS = 12
_MONTH = 30.44 * 86_400
_RECENT = 8


def show(ask: Ask) -> Answer:
    memory, now = ask.memory, time.time()
    survey, jobs = memory.survey(), memory.jobs.status()
    moments = [now - number * _MONTH for number in range(_MONTHS, -1, -1)]
    ran = [state.status.started for state in jobs if state.status]
    return Page(
        "home.html",
        {
            "survey": survey,
            "kinds": sorted(survey.kinds.items(), key=lambda kind: -kind[1]),
            "growth": memory.growth(moments),
            "ran": max(ran, default=None),
            "due": [state.job.name for state in jobs if state.due],
            "failed": [
                state.job.name
                for state in jobs
                if state.status and state.status.outcome == "failed"
            ],
            "facts": ask.around.status(),
            "changes": memory.history(None, _RECENT),
        },
    )
