"""Build both packages into `dist`, and show that they are fit to be published.

    python3 tasks.py package

Each is built twice, in two copies of what git knows, and must come out with the same bytes. The
wheels are then installed into a fresh environment, far from the checkout, where a stranger's first
steps must work within the size that is promised. Beside the packages `dist` gets an inventory of
what that environment holds (CycloneDX), the transcript of the steps, and the sums of all files.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
PROJECTS = (".", "packages/engrain-team")
TOOLS = ("build>=1.2,<2", "hatchling>=1.27,<2", "cyclonedx-bom>=7,<8")
MOST_MB = 35.0
"""What the environment without extras may take, bytecode included and pip left out."""

STEPS = (
    "engrain --version",
    "engrain init notes",
    "engrain save --vault notes --kind fix --title 'Pooler drops prepared statements' "
    "'psycopg prepares a query after five runs; behind the pooler that fails.'",
    "engrain recall --vault notes 'why does the prepared statement fail?'",
    "engrain setup claude-code --vault notes --edits mine --learn rules",
    "engrain doctor --vault notes",
    "engrain setup claude-code --remove --vault notes",
)


def main() -> int:
    """Build, compare, install, try and list; the exit code of what failed."""
    DIST.mkdir(exist_ok=True)
    for old in DIST.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="engrain-package-") as away:
        place = Path(away)
        tools = make_environment(place / "tools", *TOOLS)
        if sums(build(tools, place / "one", DIST)) != sums(
            build(tools, place / "two", place / "d")
        ):
            print("the two builds differ", file=sys.stderr)
            return 1
        base = make_environment(place / "base", str(next(DIST.glob("engrain-*.whl"))))
        size = sum(file.lstat().st_size for file in base.parents[1].rglob("*")) / 1e6
        print(f"installed without extras: {size:.1f} MB")
        if size > MOST_MB:
            return 1
        try_steps(base.parent, place / "home")
        inventory = ["-m", "cyclonedx_py", "environment", str(base), "--output-reproducible"]
        run(tools, *inventory, "--output-file", str(DIST / "engrain.cdx.json"))
        make_environment(place / "team", *(str(wheel) for wheel in sorted(DIST.glob("*.whl"))))
    listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums(DIST).items()))
    (DIST / "SHA256SUMS").write_text(listed)
    print(listed, end="")
    return 0


def build(tools: Path, copy: Path, to: Path, commit: str = "HEAD") -> Path:
    """Build the packages of a copy of what git knows; return the folder that they are in."""
    copy.mkdir()
    archive = copy.with_suffix(".tar")
    subprocess.run(["git", "archive", "--output", str(archive), commit], cwd=ROOT, check=True)
    with tarfile.open(archive) as tar:
        tar.extractall(copy, filter="data")
    for project in PROJECTS:
        run(tools, "-m", "build", "--no-isolation", "--outdir", str(to), str(copy / project))
    return to


def make_environment(folder: Path, *packages: str, of: Path = Path(sys.executable)) -> Path:
    """Make an environment of a Python, without pip, that holds packages; return its Python."""
    run(of, "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin/python"
    run(Path(sys.executable), "-m", "pip", "--python", str(python), "install", "--quiet", *packages)
    return python


def try_steps(programs: Path, home: Path) -> None:
    """Take a stranger's first steps in an empty home, and keep the transcript."""
    home.mkdir()
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(home)}
    told = []
    for step in STEPS:
        done = subprocess.run(
            step, shell=True, cwd=home, env=environment, capture_output=True, text=True, check=False
        )  # fmt: skip
        told.append(f"$ {step}\n{done.stdout}{done.stderr}")
        if done.returncode:
            raise SystemExit(f"{told[-1]}exit code {done.returncode}")
    told.append("$ find . -type f -not -path './notes/*'\n")
    left = [path for path in home.rglob("*") if path.is_file() and "notes" not in path.parts]
    told.append("".join(f"{path.relative_to(home)}\n" for path in sorted(left)))
    (DIST / "first-steps.txt").write_text("\n".join(told).replace(str(home), "~"))


def sums(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def run(python: Path, *words: str) -> None:
    """Run a program of Python; one that fails ends the build."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    subprocess.run([str(python), *words], check=True, env=kept, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
