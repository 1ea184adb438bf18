"""Episodes with known answers: tasks of the same kind in other words, among tasks of their own.

A kind of task is a verb, an object, whose it is, and a part of a system. Each of its episodes says
so in words of its own: a synonym of the verb, a synonym of the object, another sentence, sometimes
without the part. Distractors share words and files with some kinds and are members of none.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

VERBS = (
    ("implement", "add", "build", "create", "introduce"),
    ("fix", "repair", "resolve the bug in", "correct", "debug"),
    ("speed up", "optimise", "make faster", "cut the latency of", "tune"),
    ("write tests for", "cover with tests", "add unit tests for", "test", "raise coverage of"),
    ("migrate", "move", "port", "switch over", "carry over"),
    ("document", "describe", "write docs for", "explain in the manual", "add a guide for"),
    ("remove", "drop", "delete", "retire", "get rid of"),
    ("refactor", "clean up", "restructure", "simplify", "untangle"),
)
OBJECTS = (
    ("login endpoint", "sign-in route", "authentication endpoint"),
    ("pagination", "paging of lists", "page-wise listing"),
    ("rate limiter", "request throttling", "limit on requests"),
    ("password reset", "forgotten password flow", "recovery of passwords"),
    ("image upload", "uploading of pictures", "photo upload form"),
    ("CSV export", "export to spreadsheets", "download as CSV"),
    ("audit log", "log of who changed what", "audit trail"),
    ("retry policy", "retries with backoff", "repeated attempts after failures"),
    ("cache layer", "caching", "in-memory cache"),
    ("database schema", "table definitions", "schema of the tables"),
    ("webhook handler", "receiver of webhooks", "incoming webhook endpoint"),
    ("dark mode", "dark theme", "night colours"),
    ("search filter", "filters of the search", "narrowing of search results"),
    ("email template", "layout of mails", "mail templates"),
    ("session timeout", "expiry of sessions", "logout after inactivity"),
    ("feature flag", "toggle for features", "flags that switch features"),
    ("health check", "liveness probe", "status endpoint"),
    ("background worker", "job queue consumer", "asynchronous worker"),
    ("invoice PDF", "printing of invoices", "PDF of bills"),
    ("currency conversion", "exchange rates", "converting amounts"),
    ("date parser", "parsing of dates", "reading of timestamps"),
    ("access roles", "permissions", "role checks"),
    ("websocket gateway", "live updates over sockets", "push channel"),
    ("config loader", "loading of settings", "configuration reader"),
    ("type annotations", "static types", "typing of signatures"),
    ("release pipeline", "deployment workflow", "CI release job"),
    ("container image", "Dockerfile", "docker build"),
    ("keyboard shortcuts", "hotkeys", "key bindings"),
    ("form validation", "checking of inputs", "validator of fields"),
    ("translation files", "localised strings", "i18n catalogue"),
)
PARTS = (
    "billing", "orders", "inventory", "profile", "catalogue", "notifications", "shipping",
    "reports", "payments", "gateway", "scheduler", "analytics", "checkout", "returns", "suppliers",
    "warehouse", "support", "reviews", "loyalty", "messaging", "admin", "onboarding", "documents",
    "calendar", "insights", "recommendations", "pricing", "taxes", "subscriptions", "telemetry",
)  # fmt: skip
WHOSE = (
    "admin", "mobile", "public", "internal", "legacy", "partner", "bulk", "daily", "weekly",
    "guest", "staff", "regional", "archived", "draft", "trial", "enterprise", "offline", "shared",
    "premium", "nightly",
)  # fmt: skip
FRAMES = (
    "{verb} the {object} in {part}",
    "{part}: {verb} {object}",
    "please {verb} the {object} of the {part} service",
    "we need to {verb} {object} for {part}",
    "{verb} {object} ({part} module), as discussed",
    "{verb} the {object}",
)
FAULTS = (
    ("TypeError", "Cannot read properties of undefined (reading '{word}') at {path}:{n}:{n}"),
    ("AssertionError", "expected {n} rows but got {n} in {word}"),
    ("ModuleNotFoundError", "No module named '{word}'"),
    ("TimeoutError", "operation on {word} timed out after {n} ms"),
)
_FIRST = datetime(2026, 3, 1, tzinfo=UTC)


class Labelled(NamedTuple):
    """An episode's document, and the kind of task it is of; None for a distractor."""

    document: dict[str, Any]
    label: int | None


def make_tasks(count: int, seed: int, *, files: bool = True) -> list[Labelled]:
    """So many episodes, of which four in ten are distractors; without `files` a goal's words and
    the actions are all there is to go by."""
    rng = random.Random(seed)
    kinds = [
        (verb, whose, object_, part)
        for verb in range(len(VERBS))
        for whose in range(len(WHOSE))
        for object_ in range(len(OBJECTS))
        for part in range(len(PARTS))
    ]
    rng.shuffle(kinds)
    found: list[Labelled] = []
    label = 0
    while len(found) < 0.6 * count:
        kind = kinds.pop()
        # Large vaults have more of a kind, as well as more kinds.
        for _ in range(min(rng.choice((2, 2, 3, 3, 4, 5, 8, 12, 30)), count - len(found))):
            found.append(Labelled(_make(rng, kind, files), label))
        label += 1
    while len(found) < count:
        found.append(Labelled(_make(rng, kinds.pop(), files), None))
    rng.shuffle(found)
    for number, one in enumerate(found):
        at = _FIRST + timedelta(minutes=3 * number)
        one.document["id"] = f"ep-{seed}-{number:06d}"
        one.document["timestamp"] = at.strftime("%Y-%m-%dT%H:%M:%SZ")
    return found


def _make(rng: random.Random, kind: tuple[int, int, int, int], files: bool) -> dict[str, Any]:
    verb, whose, object_, part = kind
    name = PARTS[part]
    frame = FRAMES[rng.choices(range(len(FRAMES)), (4, 3, 3, 3, 2, 2))[0]]
    goal = frame.format(
        verb=rng.choices(VERBS[verb], (4, 2, 2, 1, 1))[0],
        object=f"{WHOSE[whose]} {rng.choices(OBJECTS[object_], (4, 2, 2))[0]}",
        part=name,
    )
    slug = f"{WHOSE[whose]} {OBJECTS[object_][0]}".replace(" ", "-").lower()
    own = [f"src/{name}/{slug}.ts", f"tests/{name}/{slug}.test.ts"]
    touched = [path for path in own if rng.random() < 0.8]
    touched += [f"src/{name}/{rng.choice(('index', 'types', 'routes'))}.ts"] * (rng.random() < 0.5)
    touched += [f"src/{rng.choice(PARTS)}/index.ts"] * (rng.random() < 0.3)
    log: list[dict[str, Any]] = [{"t": 0, "action": "read_file", "target": own[0]}]
    log += [{"t": 9, "action": rng.choice(("grep", "list_files"))}] * (rng.random() < 0.6)
    log += [{"t": 30, "action": "edit_file", "target": own[0]}]
    errors = []
    if rng.random() < 0.4:
        type_, message = FAULTS[(verb + object_ + part) % len(FAULTS)]
        told = message.replace("{word}", slug.split("-")[0]).replace("{path}", own[0])
        told = "".join(str(rng.randrange(1, 900)) if c == "\0" else c
                       for c in told.replace("{n}", "\0"))  # fmt: skip
        log += [{"t": 60, "action": "run_test", "result": "fail", "error": told}]
        errors = [{"type": type_, "message": told, "resolution": f"guarded the {slug} first"}]
    log += [{"t": 90, "action": "run_test", "result": "pass"}]
    return {
        "id": "",
        "task_id": None,
        "timestamp": "",
        "duration_seconds": 90,
        "agent": "bench",
        "context": {
            "phase": "work",
            "goal": goal,
            "constraints": [],
            "files_involved": list(dict.fromkeys(touched)) if files else [],
        },
        "action_log": log,
        "outcome": "failure" if rng.random() < 0.1 else "success",
        "errors_encountered": errors if files else [],
        "artifacts_produced": [],
        "git_commit": None,
    }
