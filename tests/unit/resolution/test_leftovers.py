"""What libraries of earlier versions left below the user's home is found, and never removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from engrain.resolution.leftovers import describe_leftover, find_leftovers
from unit.adapters.shell import Inside

_PLACE = "Microsoft/DeveloperTools/.onnxruntime"


def leave(cache: Path) -> Path:
    folder = cache / _PLACE
    folder.mkdir(parents=True)
    (folder / "deviceid").write_text("an id")
    return folder


def test_nothing_is_found_where_nothing_was_left(tmp_path: Path) -> None:
    assert find_leftovers({"HOME": str(tmp_path)}) == []
    assert find_leftovers({}) == []


def test_the_device_id_of_the_model_s_runtime_is_found(tmp_path: Path) -> None:
    folder = leave(tmp_path / ".cache")
    assert find_leftovers({"HOME": str(tmp_path)}) == [str(folder)]
    other = leave(tmp_path / "cache")
    environ = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert find_leftovers(environ) == [str(other), str(folder)]
    assert f"rm -r {folder}" in describe_leftover(str(folder))[1]


def test_doctor_and_uninstall_say_how_it_is_removed(tmp_path: Path) -> None:
    shell = Inside(tmp_path)
    assert shell.run("init").code == 0
    folder = leave(shell.home / ".cache")
    for command in (["doctor"], ["setup", "claude-code", "--remove"]):
        done = shell.run(*command)
        assert f"rm -r {folder}" in done.out, done.err
        assert "telemetry" in done.out
    assert (folder / "deviceid").exists()


def test_the_runtime_is_told_to_report_nothing_before_it_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").touch()
    runtime = "import os, sys; sys.exit(os.environ.get('ORT_DISABLE_TELEMETRY'))"
    (tmp_path / "onnxruntime.py").write_text(runtime)
    environ = {name: os.environ[name] for name in os.environ if name != "ORT_DISABLE_TELEMETRY"}
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}]; import engrain.inference.onnx"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, check=False, text=True
    )
    assert done.stderr == "1\n"
