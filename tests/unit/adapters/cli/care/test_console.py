"""`engrain console`, as a person meets it."""

from __future__ import annotations

import http.client
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from engrain.adapters.cli.care import console
from engrain.resolution.installation import compose_install
from unit.adapters.shell import CommandLine, Shell


@contextmanager
def opened(shell: Shell, *argv: str) -> Iterator[list[str]]:
    """The lines that the command prints before it serves."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "console", "--no-browser", *argv],
        stdout=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield [process.stdout.readline().rstrip("\n") for _ in range(2)]
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        process.stdout.close()


def get(address: str, cookie: str = "") -> tuple[int, str]:
    """(status, cookie) of a request."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    query = f"?{parts.query}" if parts.query else ""
    connection.request("GET", parts.path + query, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, (answer.getheader("set-cookie") or "").partition(";")[0]


def test_it_prints_the_address_on_a_line_of_its_own_and_lets_one_browser_in(shell: Shell) -> None:
    with opened(shell) as (_, address):
        parts = urlsplit(address)
        assert (parts.scheme, parts.hostname) == ("http", "127.0.0.1")
        assert parts.query.startswith("token=")
        home = f"http://{parts.netloc}{parts.path}"
        assert get(home)[0] == 401
        status, cookie = get(address)
        assert status == 303
        assert get(home, cookie)[0] == 200
        assert get(address)[0] == 403


def test_a_port_that_is_taken_or_none_is_an_error_in_a_line(shell: Shell) -> None:
    with opened(shell) as (_, address):
        port = urlsplit(address).port
        done = shell.run("console", "--no-browser", "--port", str(port))
        assert (done.code, done.err.count("\n")) == (1, 1)
    assert shell.run("console", "--port", "70000").code == 2


def test_without_a_vault_nothing_is_served(bare_shell: Shell) -> None:
    done = bare_shell.run("console", "--no-browser")
    assert (done.code, "no vault is configured" in done.err) == (5, True)


def test_without_its_parts_it_says_what_to_install(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(console, "find_spec", lambda _: None)
    done = cli("console")
    assert done.code == 1
    assert compose_install("console") in done.err


def test_asking_for_help_loads_no_framework(shell: Shell) -> None:
    code = (
        "import sys; from engrain.adapters.cli.main import run; run(['console', '--help']);"
        "assert not {'starlette', 'uvicorn', 'jinja2', 'nh3', 'markdown_it'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=shell.environ, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
