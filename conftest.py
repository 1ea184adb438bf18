"""What holds for every suite: assertions that tell what they compared, no timed tests, no model."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import engrain.wiring  # noqa: F401 - it says who reads frontmatter of any form

pytest.register_assert_rewrite("contracts", "support", "team")

# How long an example takes is the machine's affair; `bench` measures. A property of a contract is
# tried by a class for each implementation. `tasks.py long` tries ten times as many examples.
UNTIMED = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors]
)
settings.register_profile("untimed", UNTIMED, max_examples=25)
settings.register_profile("thorough", UNTIMED, max_examples=500)
settings.load_profile("untimed")

# Rewriting the assertions of 550 files takes longer than importing them: pytest keeps what it made,
# whatever PYTHONDONTWRITEBYTECODE says. Processes that tests start write nothing.
sys.dont_write_bytecode = False

# Whether a model is installed beside the tests decides nothing; those of vectors name one.
os.environ["ENGRAIN_EMBEDDER"] = "none"

# A shell that runs the suite in the background has its children ignore Ctrl-C; those that tests
# interrupt must not inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Vaults are written to the disk at each change, on which the tests would wait most of their time:
# theirs lie in memory where it has room and programs may lie there too.
_MEMORY, _ROOM = "/dev/shm", 4 << 30
if (
    "TMPDIR" not in os.environ
    and os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free > _ROOM
    and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC
):
    os.environ["TMPDIR"] = tempfile.tempdir = _MEMORY

# The configuration, the keys of vaults and the state of a test are not those of the person who runs
# the tests, and nothing is left below that person's home.
_home = tempfile.TemporaryDirectory(prefix="engrain-home-")
for _kind in ("CONFIG", "STATE", "CACHE", "DATA"):
    os.environ[f"XDG_{_kind}_HOME"] = os.path.join(_home.name, _kind.lower())


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """A folder on a disk: some ways of bringing files there are those of its file system."""
    disk = "/var/tmp" if os.path.isdir("/var/tmp") else None
    with tempfile.TemporaryDirectory(prefix="engrain-", dir=disk) as folder:
        yield Path(folder)


ROOT = Path(__file__).parent
SUITES = ("tests", "packages/engrain-team/tests")
SLOW, LONG = (
    tuple(
        f"{suite}/{line}"
        for suite in SUITES
        for line in (ROOT / suite / f"{name}.txt").read_text(encoding="utf-8").split()
    )
    for name in ("slow", "long")
)
"""Tests, files and folders of them, as paths from here, that `tasks.py check` or `long` runs and
not `test`: they start many processes, or wait for what takes time. Each suite has its lists."""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import files of which no test is run."""
    if not collection_path.is_relative_to(ROOT):
        return None
    place = collection_path.relative_to(ROOT).as_posix()
    places = [f"{place}/"] if collection_path.is_dir() else [place]
    unwanted = [
        one
        for marker, names in (("slow", SLOW), ("long", LONG))
        if f"not {marker}" in config.option.markexpr
        for one in names
    ]
    return True if any(one in unwanted for one in places) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        place = item.nodeid
        for marker, places in (("slow", SLOW), ("long", LONG)):
            if place.startswith(places):
                item.add_marker(marker)
