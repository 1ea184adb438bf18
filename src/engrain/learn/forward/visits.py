"""One look at an approved place: its items, and how far it was read then.

A cursor is this device's own. For what a server gives it has what that wants to be asked with, for
a folder each file's time. It only saves work: what was read before is known by its passages.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping

from engrain.learn.forward.feeds import read_feed
from engrain.learn.forward.items import Item, decode, read_html
from engrain.model.errors import EngrainError, MalformedError
from engrain.model.note.documents import object_of, text_of
from engrain.model.note.entry import split_heading
from engrain.model.note.note import split_note
from engrain.seam import sources

_MOST_ITEMS = 500
_MOST_FILES = 20_000
_HTML = (".html", ".htm", ".xhtml")
_HTML_TYPES = ("text/html", "application/xhtml+xml")
_WHOLE = ""
"""The name under which the cursor of a place stands that is read as one."""


class Visit:
    """A look at one place: `items` are to be gone through once; then `cursors` has, by name, what
    is to be kept, and `problems` what could not be read. No item is later than `now`, in epoch
    seconds."""

    def __init__(
        self,
        outside: sources.Outside,
        approved: sources.Approved,
        cursors: Mapping[str, object],
        now: float,
    ) -> None:
        self._now = now
        self.cursors: dict[str, object] = {}
        self.problems: list[str] = []
        self._outside = outside
        self._approved = approved
        self._before = cursors

    def items(self) -> Generator[Item, None, None]:
        """Yield the items of the place. Raises FetchError, StorageError, MalformedError,
        ForbiddenPathError."""
        for item in _READERS[self._approved.kind](self):
            if item.at is not None:
                item.at = min(item.at, self._now)  # clocks differ, and some feeds announce
            yield item

    def _read_feed(self) -> Iterator[Item]:
        fetched = self._fetch()
        if fetched is not None:
            feed = read_feed(fetched, _MOST_ITEMS)
            yield from feed.items
            if feed.problem:
                self.problems.append(feed.problem)
            else:
                self._keep_fetched(fetched)

    def _read_page(self) -> Iterator[Item]:
        fetched = self._fetch()
        if fetched is not None:
            text = decode(fetched.body, fetched.charset)
            url = self._approved.place
            yield _as_item(text, url, url, html=fetched.type in _HTML_TYPES)
            self._keep_fetched(fetched)

    def _fetch(self) -> sources.Fetched | None:
        before = object_of(self._before.get(_WHOLE))
        return self._outside.fetch(
            self._approved, text_of(before.get("etag")), text_of(before.get("modified"))
        )

    def _keep_fetched(self, fetched: sources.Fetched) -> None:
        self.cursors[_WHOLE] = {"etag": fetched.etag, "modified": fetched.modified}

    def _read_folder(self) -> Iterator[Item]:
        for number, file in enumerate(self._outside.files(self._approved)):
            if number >= _MOST_FILES:
                self.problems.append(f"over {_MOST_FILES} files; the rest is left")
                return
            if isinstance(file, OSError):
                self.problems.append(f"{file.filename}: {file.strerror}")
                continue
            name, at = file
            if at is not None and self._before.get(name) == at:
                continue
            try:
                text = decode(self._outside.read(self._approved, name))
                yield _as_item(text, name, f"{self._approved.place}/{name}", at=at)
            except OSError as error:
                self.problems.append(f"{name}: {error.strerror}")
                continue
            except MalformedError as error:
                self.problems.append(f"{name}: {error.message}")
            self.cursors[name] = at


_READERS: Mapping[str, Callable[[Visit], Iterator[Item]]] = {
    sources.FEED: Visit._read_feed,
    sources.PAGE: Visit._read_page,
    sources.FOLDER: Visit._read_folder,
}


def _as_item(
    text: str, name: str, ref: str, *, html: bool | None = None, at: float | None = None
) -> Item:
    """Return a document as an item, known by its name; its title is its own."""
    if html is None:
        html = name.lower().endswith(_HTML)
    title, text = read_html(text) if html else _without_frontmatter(text)
    heading, rest = split_heading(text)
    if heading:
        title, text = title or heading, rest
    return Item(name, title or name.rstrip("/").rpartition("/")[2], text, ref, at)


def _without_frontmatter(text: str) -> tuple[str, str]:
    """Return the title in a markdown file's frontmatter, "" for none, and the text under it, even
    if the frontmatter is broken."""
    try:
        note = split_note(text.encode(errors="replace"))
        return text_of(note.fields.get("title")), note.body
    except EngrainError:
        return "", text
