"""The pages of the console as an ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeAlias
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from engrain.adapters.web.asking import PREFIX, Answer, Around, Ask, Moved, Page
from engrain.adapters.web.doors import AdmittedBrowser
from engrain.adapters.web.pages import (
    care,
    entry,
    graph,
    home,
    inbox,
    people,
    search,
    sessions,
    timeline,
)
from engrain.adapters.web.templating import FOLDER, render
from engrain.adapters.web.working import ConsoleWork
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError, NotFoundError

Handler: TypeAlias = Callable[[Ask], Answer]

ROUTES: tuple[tuple[str, str, Handler], ...] = (
    ("GET", "/", home.show),
    ("GET", "/search", search.show),
    ("GET", "/entry", entry.show),
    ("POST", "/entry/act", entry.act),
    ("GET", "/entry/edit", entry.show_form),
    ("POST", "/entry/edit", entry.edit),
    ("POST", "/entry/evolve", entry.evolve),
    ("GET", "/entry/erase", entry.plan_erasure),
    ("POST", "/entry/erase", entry.erase),
    ("GET", "/entry/erased", entry.show_erased),
    ("GET", "/timeline", timeline.show),
    ("GET", "/change", timeline.show_change),
    ("GET", "/undo", timeline.plan),
    ("POST", "/undo", timeline.undo),
    ("GET", "/inbox", inbox.show),
    ("GET", "/proposal", inbox.show_proposal),
    ("POST", "/inbox", inbox.decide),
    ("GET", "/people", people.show),
    ("GET", "/person", people.show_one),
    ("POST", "/person", people.change),
    ("GET", "/graph", graph.show),
    ("GET", "/sessions", sessions.show),
    ("GET", "/session", sessions.show_one),
    ("GET", "/experience", home.show_experience),
    ("GET", "/care", care.show),
    ("POST", "/care", care.run_job),
)

MENU = (
    ("/", "Home", "home"),
    ("/inbox", "Inbox", "inbox"),
    ("/search", "Search", "search"),
    ("/timeline", "Timeline", "clock"),
    ("/graph", "Graph", "graph"),
    ("/people", "People", "people"),
    ("/sessions", "Sessions", "chat"),
    ("/experience", "Experience", "award"),
    ("/care", "Care", "sliders"),
)
"""The pages that every page leads to, each with its name and icon."""

THREADS = 4
"""The number of threads that make pages: more would only open more connections to the index."""
Run: TypeAlias = Callable[[Callable[[Memory], object], Memory], Awaitable[object]]
_STATUSES = {
    "usage": 400,
    "not_found": 404,
    "erased": 404,
    "conflict": 409,
    "locked": 409,
    "vault_unavailable": 503,
    "backend_unavailable": 503,
}
_EVERY, _STEP = 1.0, 0.25
"""Seconds between two looks for changes of other processes, and while jobs are running."""
_ENDINGS = (".css", ".js", ".svg")


class _Static(StaticFiles):
    """The style and scripts, and no other files of the folder."""

    async def get_response(self, path: str, scope: object) -> Response:
        if not path.endswith(_ENDINGS):
            return Response(status_code=404)
        return await super().get_response(path, scope)  # type: ignore[arg-type]


def make_app(memory: Memory, around: Around) -> Starlette:
    """Return the pages over a memory, for requests that `Doors` admitted."""
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="console")
    work = ConsoleWork()

    def serve(handler: Handler) -> Route:
        async def answer(request: Request) -> Response:
            visit: AdmittedBrowser = request.scope["visit"]
            query = parse_qs(request.url.query, max_num_fields=100)
            ask = Ask(memory, query, request.scope.get("form", {}), around=around, work=work)
            made = partial(_answer, handler, ask, visit, request.url.path)
            return await asyncio.get_running_loop().run_in_executor(pool, made)

        return answer  # type: ignore[return-value]

    routes: list[Route | Mount] = [
        Route(f"{PREFIX}{path}", serve(handler), methods=[method])
        for method, path, handler in ROUTES
    ]
    routes.append(Mount(f"{PREFIX}/static", _Static(directory=FOLDER / "static")))
    routes.append(Route("/", lambda _: RedirectResponse(f"{PREFIX}/", 303)))

    async def live(request: Request) -> Response:
        run = partial(asyncio.get_running_loop().run_in_executor, pool)
        changes = _stream_changes(memory, run, work, request.scope["visit"])
        return StreamingResponse(changes, media_type="text/event-stream")

    routes.append(Route(f"{PREFIX}/live", live))

    async def miss(request: Request, _: Exception) -> Response:
        error = NotFoundError("there is no such page")
        visit: AdmittedBrowser = request.scope["visit"]
        return _show(_report(error), visit, request.url.path, memory)

    return Starlette(routes=routes, exception_handlers={404: miss})


async def _stream_changes(
    memory: Memory, run: Run, work: ConsoleWork, visit: AdmittedBrowser
) -> AsyncIterator[str]:
    """Yield an event for each change of the history and each begin and end of a job, by any
    process; and the progress of jobs that were started here."""
    before = await run(_look, memory), work.busy
    # If the vault is unreachable now, the page must look again: no difference will be noticed.
    yield "retry: 3000\n\n" if before[0] else "data: changed\n\n"
    pause = 0.0
    while not visit.over:
        await asyncio.sleep(_STEP)
        pause += _STEP
        if pause < _EVERY and not work.busy:
            continue
        pause, now = 0.0, (await run(_look, memory), work.busy)
        yield ": here\n\n" if now == before else "data: changed\n\n"
        before = now
        if progress := await run(work.look, memory):
            yield f"event: progress\ndata: {progress.line}\n\n"  # type: ignore[attr-defined]


def _look(memory: Memory) -> object:
    """Return a value that differs after every change, None while the vault can't be reached."""
    try:
        jobs = [
            one.status and (one.status.started, one.status.ended) for one in memory.jobs.status()
        ]
        return dict(memory.heads), jobs
    except EngrainError:
        return None


def _answer(handler: Handler, ask: Ask, visit: AdmittedBrowser, path: str) -> Response:
    try:
        answer = handler(ask)
    except EngrainError as error:
        answer = _report(error)
    if isinstance(answer, Moved):
        if answer.notice:
            visit.notices.append(answer.notice)
        return RedirectResponse(f"{PREFIX}{answer.to}", 303)
    return _show(answer, visit, path, ask.memory)


def _show(page: Page, visit: AdmittedBrowser, path: str, memory: Memory) -> Response:
    notices, visit.notices = visit.notices, []
    where, waiting = "", 0
    with suppress(EngrainError):
        where, waiting = memory.where, memory.count_proposals()[0]
    values = {
        "csrf": visit.csrf,
        "notices": notices,
        "menu": MENU,
        "here": path.removeprefix(PREFIX),
        "where": where,
        "waiting": waiting,
        **page.values,
    }
    return HTMLResponse(render(page.template, values), page.status)


def _report(error: EngrainError) -> Page:
    status = _STATUSES.get(error.code, 500)
    return Page("error.html", {"error": error, "status": status}, status)
