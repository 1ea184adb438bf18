"""The one door to everything: setup, demo, test, prove, lint, bench, package, docs, site.

    python3 tasks.py demo      set up and see it work on the sample data
    python3 tasks.py test      set up and run the tests
    python3 tasks.py --help    the rest

Needs Python 3.11 or newer and the package registries; makes `.venv` beside this file (`site` makes
`.venv-site` and `site`) and touches nothing else. Arguments after the task's name go to the program
it runs.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent
TEAM = ROOT / "packages" / "engrain-team"
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
LOCK = ROOT / "requirements.lock"
SITE_VENV = ROOT / ".venv-site"
SITE_LOCK = ROOT / "requirements-site.lock"
_COMPILE = [
    "uv", "pip", "compile", "--universal", "--upgrade", "--no-emit-index-url",
    "--no-header", "--python-version", "3.11",
]  # fmt: skip
_STYLE = [["ruff", "format", "--check", "."], ["ruff", "check", "."]]
_TYPES = [["mypy"], ["lint-imports"]]

# Each process begins with its half, so that what a module sets up is set up once; then it helps the
# other.
_TESTS = ["pytest", "-n", "2", "--dist", "worksteal"]
_AGAIN = ["-n", "0", "--verbose", "--last-failed", "--last-failed-no-failures", "none"]

_THOROUGH = ["--hypothesis-profile=thorough", "-m", "hypothesis and not long"]

# Task -> (what it does, the commands it runs; the caller's arguments go to the last).
TASKS: dict[str, tuple[str, list[list[str]]]] = {
    "setup": ("make .venv from the lock file", []),
    "demo": ("the main job on the sample data", [["engrain", "demo"]]),
    "test": ("the tests", [[*_TESTS, "-m", "not long and not slow"]]),
    "check": (
        "the slower tests: faults, sessions of the documents, whole processes",
        # They wait more than they work: for processes, time limits and a browser.
        [[*_TESTS, "-n", "4", "-m", "slow and not long"]],
    ),
    "bare": ("the tests of documents and figures, in a copy with nothing beside it", []),
    "long": (
        "the longer suites: kills, power cuts, many writers; properties with more examples",
        [[*_TESTS, *_THOROUGH], ["pytest", "-m", "long"]],
    ),
    "prove": (
        "the experiments behind the promises at their full size; --quick for a few trials",
        [["python", "-m", "tests.prove"]],
    ),
    "lint": ("format, lint, types, import contracts", [*_STYLE, *_TYPES]),
    "style": ("the first half of lint: format and lint", _STYLE),
    "types": ("the second half of lint: types and import contracts", _TYPES),
    "format": ("write the format", [["ruff", "format", "."], ["ruff", "check", "--fix", "."]]),
    "bench": ("measure, as ratios to floors of the same run", [["python", "-m", "bench"]]),
    "record": (
        "write anew what ranking and silence are held to, after a change that is meant",
        [["python", "-m", "bench.gate"]],
    ),
    "docs": (
        "rewrite the reference of commands and the picture of the README",
        [["python", "docs/make_picture.py"], ["python", "docs/make_reference.py"]],
    ),
    "browser": ("install the system's chromium, with which `check` tries the console", []),
    "pictures": ("take the console's pictures for the documents", []),
    "package": (
        "build both packages twice, compare, install and try them; `dist` holds the result",
        [["python", "packages/build.py"]],
    ),
    "site": ("build the pages as a site, and check every link in it", []),
    "lock": (
        "resolve the lock files anew",
        [
            [*_COMPILE, "--group", "site", "--output-file", str(SITE_LOCK)],
            [
                *_COMPILE, "pyproject.toml", "--group", "dev", "--extra", "local",
                "--extra", "mcp", "--extra", "console", "--extra", "multilingual",
                "--extra", "static",
                "--output-file", str(LOCK),
            ],
        ],
    ),
}  # fmt: skip

_AROUND = re.compile(r"^(from|import) (bench|support\.(real_data|check_script))\b", re.MULTILINE)
_AFTER_BARE = "--after-bare"
"""Argument of `test` and `check`: leave out what `bare` has just run."""
_LEFT = (".git", ".venv", ".venv-site", "site", "__pycache__", ".*_cache", ".hypothesis")


def main(argv: list[str]) -> int:
    """Run one task; the exit code of what failed first."""
    if not argv or argv[0] in ("-h", "--help") or argv[0] not in TASKS:
        print(__doc__)
        for name, (meaning, _) in TASKS.items():
            print(f"  {name:<8} {meaning}")
        return 0 if argv and argv[0] in ("-h", "--help") else 2
    if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs this may have an older one
        print("engrain needs Python 3.11 or newer; this is", sys.version.split()[0])
        return 1
    task, *arguments = argv
    if task == "browser":
        return install_browser()
    if task == "bare":
        return run_bare(arguments)
    if task == "site":
        return build_site(arguments)
    if failed := set_up(with_uv=task == "lock"):
        return failed
    if task == "pictures":
        os.environ["ENGRAIN_PICTURES"] = "on"
        return run(["pytest", "tests/web/test_pictures.py", *arguments])
    commands = [list(command) for command in TASKS[task][1]]
    if _AFTER_BARE in arguments:
        arguments = [*(one for one in arguments if one != _AFTER_BARE), *leave_out_bare()]
    if commands:
        commands[-1] += arguments
    if task == "check" and not any(Path(one.partition("::")[0]).exists() for one in arguments):
        # Nothing else is imported. What is named is run even if it is to be ignored.
        commands[-1] += [one for one in list_slow() if f"--ignore={ROOT / one}" not in arguments]
    return next((code for command in commands if (code := run(command))), 0)


def set_up(*, with_uv: bool) -> int:
    """Make `.venv` hold what the lock file says, unless it does already."""
    files = (LOCK, ROOT / "pyproject.toml", TEAM / "pyproject.toml")
    wanted = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    stamp = VENV / "engrain-setup"
    python = str(BIN / "python")
    if not stamp.exists() or stamp.read_text() != wanted:
        print("setting up .venv (once; a minute or so)", file=sys.stderr)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        steps = [
            [sys.executable, "-m", "venv", str(VENV)],
            [*pip, "--requirement", str(LOCK)],
            [*pip, "--no-deps", "--editable", str(ROOT), "--editable", str(TEAM)],
            # A cold process must not compile, whatever PYTHONDONTWRITEBYTECODE says.
            [python, "-m", "compileall", "-q", str(ROOT / "src"), str(TEAM / "src")],
        ]
        for step in steps:
            if code := subprocess.call(step, cwd=ROOT):
                return code
        stamp.write_text(wanted)
    if with_uv:
        return subprocess.call([python, "-m", "pip", "install", "--quiet", "uv"], cwd=ROOT)
    return 0


def list_slow() -> list[str]:
    """The files and folders of the lists of slow tests, one beside each suite."""
    return sorted(
        {
            f"{suite}/{line.partition('::')[0]}"
            for suite in ("tests", "packages/engrain-team/tests")
            for line in (ROOT / suite / "slow.txt").read_text(encoding="utf-8").split()
        }
    )


def build_site(arguments: list[str]) -> int:
    """Build `mkdocs.yml` into `site`; what it needs is in an environment of its own."""
    python = SITE_VENV / BIN.name / "python"
    wanted = hashlib.sha256(SITE_LOCK.read_bytes()).hexdigest()
    stamp = SITE_VENV / "engrain-setup"
    if not stamp.exists() or stamp.read_text() != wanted:
        print("setting up .venv-site (once; a minute or so)", file=sys.stderr)
        for step in (
            [sys.executable, "-m", "venv", "--clear", str(SITE_VENV)],
            [str(python), "-m", "pip", "install", "--quiet", "--requirement", str(SITE_LOCK)],
        ):
            if code := subprocess.call(step, cwd=ROOT):
                return code
        stamp.write_text(wanted)
    command = [str(python), "-m", "mkdocs", "build", "--quiet", *arguments]
    code = subprocess.call(command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    if not code and not arguments:
        print("open", ROOT / "site" / "index.html")
    return code


def install_browser() -> int:
    """Install chromium where this user may; else say that the tests that need it are skipped."""
    if shutil.which("chromium"):
        return 0
    for command in (["apt-get", "update"], ["apt-get", "install", "--yes", "chromium"]):
        if not shutil.which("apt-get") or subprocess.call([*command, "--quiet"]):
            print("chromium can't be installed here: tests/web is skipped", file=sys.stderr)
            break
    return 0


def run_bare(arguments: list[str]) -> int:
    """Test a copy that has no data beside it, for a user without a home."""
    if failed := set_up(with_uv=False):
        return failed
    with tempfile.TemporaryDirectory(prefix="bare-") as away:
        copy = Path(away) / "alone" / ROOT.name
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*_LEFT))
        home = Path(away) / "home"
        home.mkdir()
        python = install_copy(copy)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ENGRAIN_", "XDG_"))}
        tests = [str(path) for path in list_bare(copy / "tests" / "unit")]
        command = [str(python), "-m", *_TESTS, "-m", "not long", *tests, *arguments]
        path = f"{python.parent}{os.pathsep}{kept.get('PATH', '')}"
        return call_tests(command, copy, {**kept, "HOME": str(home), "PATH": path})


def list_bare(unit: Path) -> list[Path]:
    """The unit tests of documents, and those that import the bench or read data: what lies around a
    checkout could help them to pass."""
    found = sorted(unit.rglob("test_*.py"))
    return [
        path for path in found if path.parent == unit or _AROUND.search(path.read_text("utf-8"))
    ]


def leave_out_bare() -> list[str]:
    """The options that leave out what `bare` has run as it would run here, without data."""
    unit = ROOT / "tests" / "unit"
    return [
        f"--ignore={path}"
        for path in list_bare(unit)
        if "support.real_data" not in path.read_text("utf-8")
    ]


def install_copy(copy: Path) -> Path:
    """Install a copy of the project with the packages of this `.venv`; return its Python."""
    environment = copy / ".venv"
    python = environment / BIN.name / "python"
    subprocess.check_call([sys.executable, "-m", "venv", "--without-pip", str(environment)])
    pip = [str(BIN / "python"), "-m", "pip", "--python", str(python), "--quiet"]
    for project in (copy, copy / TEAM.relative_to(ROOT)):
        subprocess.check_call([*pip, "install", "--no-deps", "--editable", str(project)])
    (packages,) = VENV.glob("[Ll]ib/**/site-packages")
    (folder,) = environment.glob("[Ll]ib/**/site-packages")
    (folder / "borrowed.pth").write_text(f"{packages}\n")
    subprocess.check_call([str(python), "-m", "compileall", "-q", str(copy / "src")])
    for program in BIN.iterdir():
        script, own = program.read_bytes(), python.with_name(program.name)
        if script.startswith(f"#!{BIN}".encode()) and not own.exists():
            own.write_bytes(script.replace(str(BIN).encode(), str(python.parent).encode()))
            own.chmod(0o755)
    return python


def run(command: list[str]) -> int:
    """Run a program of `.venv` from the project's root."""
    program, *rest = command
    environment = dict(os.environ, PATH=f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}")
    call = call_tests if command[: len(_TESTS)] == _TESTS else call_program
    return call([str(BIN / program), *rest], ROOT, environment)


def call_tests(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run tests, and those that fail once more, one after another (decision 76)."""
    code = call_program(command, folder, environment)
    if code != 1:
        return code
    print("RERUN: the tests that failed run once more", file=sys.stderr)
    return call_program([*command, *_AGAIN], folder, environment)


def call_program(command: list[str], folder: Path, environment: dict[str, str]) -> int:
    """Run a program in a folder; return its exit code."""
    return subprocess.call(command, cwd=folder, env=environment)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
