"""What `tasks.py site` adds to the pages of this folder; run by MkDocs.

The README, CONTRIBUTING, SECURITY and the changelog become pages.
Anchors are made as forges make them, so that one link works on both. Links to files that are not
part of the site lead to the repository.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
}
"""File beside this folder -> the page made of it."""
SHIM = "https://unpkg.com/iframe-worker/shim"
OWN_SHIM = "assets/iframe-worker.js"
_LINK = re.compile(r"(\]\()([^)\s#]+)([^)\s]*\))")


def on_config(config: Any) -> Any:
    """Set how anchors are made, which YAML can't say."""
    config.mdx_configs["toc"]["slugify"] = make_anchor
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages whose text is not in this folder."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Turn links between files of the repository into links between pages of the site."""
    here = page.file.src_uri
    source = next((name for name, made in PAGES.items() if made == here), f"docs/{here}")

    def lead(found: re.Match[str]) -> str:
        if "://" in found[2]:
            return found[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[2]))
        return f"{found[1]}{find_place(target, here, config.repo_url)}{found[3]}"

    return _LINK.sub(lead, markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Load the script of the offline search from the site, so that no other server is asked."""
    return output.replace(SHIM, posixpath.relpath(OWN_SHIM, posixpath.dirname(page.url) or "."))


def on_post_template(output_content: str, **_: Any) -> str:
    """Do the same for the page of a missing address."""
    return output_content.replace(SHIM, OWN_SHIM)


def find_place(target: str, here: str, repository: str) -> str:
    """Where a file of the repository is for the page `here`: a page, or an address."""
    place = PAGES.get(target, target.removeprefix("docs/"))
    if target.startswith("docs/") or target in PAGES:
        return posixpath.relpath(place, posixpath.dirname(here) or ".")
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    if not (ROOT / target).exists():
        return target  # MkDocs reports it
    return f"{repository}/{kind}/main/{target}"


def make_anchor(title: str, separator: str) -> str:
    """The anchor of a heading, as forges make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", separator)
