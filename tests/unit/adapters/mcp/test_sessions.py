"""What a thousand sessions leave in the server: nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from unit.adapters.mcp.served import INITIALIZE, LIST, Server, wait_until

AT_ONCE = 100
SESSIONS = 1000
MIB = 1024


def resident(pid: int) -> int:
    """Resident memory of a process in KiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def test_a_thousand_sessions_leave_nothing(server: Server) -> None:
    """Every tenth is dropped before its answer."""

    def session(number: int) -> None:
        if number % 10 == 0:
            exchange = server.connect("tcp")
            exchange.request("POST", "/mcp", b"{", {"Content-Length": "9"})
            exchange.close()
            return
        assert server.post(INITIALIZE).status == 200
        assert server.post(LIST).status == 200

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(session, range(AT_ONCE)))
        memory, files = resident(server.pid), descriptors(server.pid)
        list(pool.map(session, range(SESSIONS)))
    wait_until(lambda: descriptors(server.pid) <= files, 30)
    assert resident(server.pid) - memory < 20 * MIB
