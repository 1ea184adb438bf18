"""The command line, in this process and as one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.cli.main import run
from support.forked import READ_BY_PYTHON, run_forked

SOURCE = READ_BY_PYTHON["PYTHONPATH"]


class Done:
    """What a process left: its exit code and what it wrote."""

    def __init__(self, code: int, raw: bytes, raw_errors: bytes) -> None:
        self.code = code
        self.raw = raw
        self.raw_errors = raw_errors

    @property
    def out(self) -> str:
        return self.raw.decode()

    @property
    def err(self) -> str:
        return self.raw_errors.decode()

    @property
    def answer(self) -> dict[str, Any]:
        """The JSON envelope."""
        value = json.loads(self.raw)
        assert isinstance(value, dict)
        return value


class Shell:
    """A home, a working folder outside of any repository, and an environment of its own.

    `ENGRAIN_VAULT` and `ENGRAIN_STATE_DIR` lie below `folder` unless `configured` is false. A
    command is a fork of a process that has imported the package, for it would spend most of its
    time on that; where the start is what a test is about, `execute` is `run_python`.
    """

    def __init__(self, folder: Path, *, configured: bool = True) -> None:
        self.execute: Callable[..., subprocess.CompletedProcess[bytes]] = run_forked
        self.folder = folder
        self.home = folder / "home"
        self.vault = folder / "vault"
        self.state = folder / "state"
        self.here = folder / "here"
        for made in (self.home, self.here):
            made.mkdir(parents=True, exist_ok=True)
        self.environ = {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", ""),
            **READ_BY_PYTHON,
            "ENGRAIN_EMBEDDER": "none",
        }
        if configured:
            self.environ |= {"ENGRAIN_VAULT": str(self.vault), "ENGRAIN_STATE_DIR": str(self.state)}

    def run(
        self,
        *argv: str | bytes,
        stdin: bytes = b"",
        environ: Mapping[str, str | bytes] | None = None,
    ) -> Done:
        """Run `python -m engrain` on these arguments."""
        words = ["-m", "engrain", *argv]
        env = {**self.environ, **(environ or {})}
        done = self.execute(words, stdin=stdin, cwd=self.here, env=env, timeout=60)
        return Done(done.returncode, done.stdout, done.stderr)

    def sh(self, script: str) -> Done:
        """Run a bash script in which `engrain` is the command, with pipes failing like the last."""
        command = f'engrain() {{ "{sys.executable}" -m engrain "$@"; }}\n{script}'
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            check=False,
            cwd=self.here,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )
        return Done(done.returncode, done.stdout, done.stderr)


class Inside(Shell):
    """A shell whose commands run in this process, for tests of what they do and say: a process of
    its own spends most of its time on imports."""

    def run(
        self,
        *argv: str | bytes,
        stdin: bytes = b"",
        environ: Mapping[str, str | bytes] | None = None,
    ) -> Done:
        """Run the command line on these arguments."""
        written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        errors = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with pytest.MonkeyPatch.context() as patch:
            for name in os.environ:
                patch.delenv(name)
            for name, value in {**self.environ, **(environ or {})}.items():
                patch.setenv(name, os.fsdecode(value))
            patch.chdir(self.here)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            patch.setattr(sys, "stdout", written)
            patch.setattr(sys, "stderr", errors)
            code = run([os.fsdecode(one) for one in argv])
        return Done(code, written.buffer.getvalue(), errors.buffer.getvalue())


class CommandLine:
    """Runs command lines in this process; `vault` is there, `bare` is a folder without one."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self.vault = folder / "vault"
        self.state = folder / "state"
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *argv: str, stdin: bytes = b"") -> Done:
        stream = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        self._monkeypatch.setattr(sys, "stdin", stream)
        self._capsys.readouterr()
        code = run(list(argv))
        captured = self._capsys.readouterr()
        return Done(code, captured.out.encode(), captured.err.encode())

    def save(self, text: str, *more: str) -> dict[str, str]:
        """Save a text; the answer's data."""
        done = self("save", text, "--json", *more)
        assert done.code == 0, done.err or done.out
        data = done.answer["data"]
        assert isinstance(data, dict)
        return data


def ask(cli: CommandLine, *argv: str) -> dict[str, Any]:
    """What a command that succeeds says as JSON."""
    return read_data(cli(*argv, "--json"))


def read_data(done: Done) -> dict[str, Any]:
    """What a command that succeeded says as JSON."""
    assert done.code == 0, done.err or done.out
    data = done.answer["data"]
    assert isinstance(data, dict)
    return data


def read_part(data: dict[str, Any], *path: str) -> dict[str, Any]:
    """The part of it at a path of names."""
    for name in path:
        value = data[name]
        assert isinstance(value, dict)
        data = value
    return data
