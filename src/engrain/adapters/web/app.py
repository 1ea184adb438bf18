"""The console as an ASGI application: the one file that knows Starlette."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeAlias
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from engrain.adapters.web.asking import PREFIX, Around, Ask, Download, Moved, Page
from engrain.adapters.web.doors import Visit
from engrain.adapters.web.routes import MENU, ROUTES, Handler
from engrain.adapters.web.templating import FOLDER, render
from engrain.adapters.web.working import Work
from engrain.api.memory import Memory
from engrain.model.errors import EngrainError, NotFoundError

THREADS = 4
"""Pages are made by so many threads: more would only open more connections to the index."""
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
"""Seconds after which a change by another process is noticed, and while jobs are at work."""
_ENDINGS = (".css", ".js", ".svg")


class _Static(StaticFiles):
    """Our own style and scripts, and nothing else of the folder."""

    async def get_response(self, path: str, scope: object) -> Response:
        if not path.endswith(_ENDINGS):
            return Response(status_code=404)
        return await super().get_response(path, scope)  # type: ignore[arg-type]


def make_app(memory: Memory, around: Around) -> Starlette:
    """The pages over a memory, for requests that `Doors` let in."""
    pool = ThreadPoolExecutor(THREADS, thread_name_prefix="console")
    work = Work()

    def serve(handler: Handler) -> Route:
        async def answer(request: Request) -> Response:
            visit: Visit = request.scope["visit"]
            form = request.scope.get("form", {})
            ask = Ask(memory, _read_query(request), form, around=around, work=work)
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
        changes = _tell_changes(memory, run, work, request.scope["visit"])
        return StreamingResponse(changes, media_type="text/event-stream")

    routes.append(Route(f"{PREFIX}/live", live))

    async def miss(request: Request, _: Exception) -> Response:
        error = NotFoundError("there is no such page")
        visit: Visit = request.scope["visit"]
        return _show(_tell(error), visit, request.url.path, memory)

    return Starlette(routes=routes, exception_handlers={404: miss})


async def _tell_changes(memory: Memory, run: Run, work: Work, visit: Visit) -> AsyncIterator[str]:
    """An event for each time the history went on, or a job began or ended, whoever did it; and
    how far the jobs are that were begun here."""
    before = await run(_look, memory), work.busy
    # Where the vault went while the page came, there will be no difference to notice.
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
    """What differs after every change; the same while the vault can't be reached."""
    try:
        jobs = [
            one.status and (one.status.started, one.status.ended) for one in memory.jobs.status()
        ]
        return dict(memory.heads), jobs
    except EngrainError:
        return None


def _answer(handler: Handler, ask: Ask, visit: Visit, path: str) -> Response:
    try:
        answer = handler(ask)
    except EngrainError as error:
        answer = _tell(error)
    if isinstance(answer, Download):
        disposition = {"content-disposition": f'attachment; filename="{answer.name}"'}
        return StreamingResponse(answer.parts, headers=disposition, media_type="application/x-tar")
    if isinstance(answer, Moved):
        if answer.notice:
            visit.notices.append(answer.notice)
        return RedirectResponse(f"{PREFIX}{answer.to}", 303)
    return _show(answer, visit, path, ask.memory)


def _show(page: Page, visit: Visit, path: str, memory: Memory) -> Response:
    notices, visit.notices = visit.notices, []
    values = {
        "csrf": visit.csrf,
        "notices": notices,
        "menu": MENU,
        "here": path.removeprefix(PREFIX),
        "where": _where(memory),
        **page.values,
    }
    return HTMLResponse(render(page.template, values), page.status)


def _tell(error: EngrainError) -> Page:
    status = _STATUSES.get(error.code, 500)
    return Page("error.html", {"error": error, "status": status}, status)


def _where(memory: Memory) -> str:
    try:
        return memory.where
    except EngrainError:
        return ""


def _read_query(request: Request) -> Mapping[str, list[str]]:
    return parse_qs(request.url.query, max_num_fields=100)
