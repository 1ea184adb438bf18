"""Memories as a static site: a page that lists them by kind, and a page for each, without scripts,
for a browser that reads files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from engrain.adapters.web.templating import FOLDER, render, render_markdown
from engrain.interchange.exporting import File
from engrain.interchange.plain import PlainRecord
from engrain.model.note.note import hash_bytes, is_id


def make_site(records: Iterable[PlainRecord]) -> Iterator[File]:
    """Yield the files of a site of records, which come sorted by kind. Links between entries lead
    to their pages, by id, title or the name of the file."""
    pages = [{**record, "file": f"entry/{_name_page(record)}.html"} for record in records]
    files: dict[str, str] = {}
    for page in pages:
        stem = str(page["path"]).rpartition("/")[2].removesuffix(".md")
        files |= {str(name).casefold(): page["file"] for name in (stem, page["title"], page["id"])}
    groups = {kind: list(group) for kind, group in groupby(pages, key=lambda page: page["kind"])}
    shared = {"groups": groups, "count": len(pages)}
    yield "site.css", (FOLDER / "static" / "site.css").read_bytes()
    yield "index.html", render("site.html", {**shared, "page": None}).encode()

    def find(name: str) -> str:
        known = files.get(name.rpartition("/")[2].removesuffix(".md").casefold())
        return f"../{known or 'index.html'}"

    for page in pages:
        text = render_markdown(page["text"], find)
        yield page["file"], render("site.html", {**shared, "page": page, "text": text}).encode()


def _name_page(record: PlainRecord) -> str:
    """Return the name of a page: the entry's id, or the hash of an id that a person wrote."""
    id_ = str(record["id"])
    return id_ if is_id(id_) else hash_bytes(id_.encode())[:26]
