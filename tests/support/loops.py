"""Run coroutines in tests beside a browser, whose loop occupies the main thread."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def run_in_thread(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine to its end in a thread of its own, and return its result."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()
