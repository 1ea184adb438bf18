"""The files that are not ours are those that were published."""

from __future__ import annotations

import re
from hashlib import sha256

from engrain.adapters.web.asking import PREFIX
from engrain.adapters.web.templating import FOLDER
from unit.adapters.web.visiting import Browser

STATIC = FOLDER / "static"


def test_vendored_files_have_the_sums_and_licenses_of_their_table() -> None:
    rows = re.findall(
        r"\| `([\w.-]+)` \|.*`([\w.-]+)` \| `([0-9a-f]{64})` \|", (STATIC / "README.md").read_text()
    )
    foreign = {path.name for path in STATIC.glob("*.min.js")}
    assert {name for name, _, _ in rows} == foreign
    for name, license_, sum_ in rows:
        assert sha256((STATIC / name).read_bytes()).hexdigest() == sum_
        assert (STATIC / license_).stat().st_size


def test_style_and_scripts_are_served_and_nothing_else(browser: Browser) -> None:
    for name in ("console.css", "console.js", "htmx.min.js"):
        assert browser.client.get(f"{PREFIX}/static/{name}").status_code == 200
    for name in ("README.md", "", "../app.py", "%2e%2e/app.py", "..%2fapp.py"):
        assert browser.client.get(f"{PREFIX}/static/{name}").status_code == 404
