"""A browser without scripts: it keeps cookies, follows redirects, and fills in forms."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import urlsplit

from starlette.testclient import TestClient

from engrain import Memory
from engrain.adapters.web.app import make_app
from engrain.adapters.web.asking import PREFIX, Around
from engrain.adapters.web.doors import AdmittedBrowser, Doors

PORT = 8420
HOME = f"http://127.0.0.1:{PORT}"


def make_doors(memory: Memory, around: Around | None = None, port: int = PORT) -> Doors:
    """The console over a memory."""
    return Doors(make_app(memory, around or Around()), port)


class Element:
    """An element that a page has: its name and attributes, and whether a label is around it."""

    def __init__(self, tag: str, attributes: dict[str, str], *, in_label: bool) -> None:
        self.tag = tag
        self.attributes = attributes
        self.in_label = in_label


class Reader(HTMLParser):
    """The elements, forms and text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.forms: list[dict[str, str]] = []
        self.actions: list[str] = []
        self.text = ""
        self.labelled: set[str] = set()
        self._labels = 0
        self._area = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self._labels += tag == "label"
        if tag == "label":
            self.labelled.add(found.get("for", ""))
        self.elements.append(Element(tag, found, in_label=self._labels > 0))
        if tag == "form":
            self.forms.append({})
            self.actions.append(found.get("action", ""))
        elif tag == "input" and self.forms and found.get("type") != "checkbox":
            self.forms[-1][found.get("name", "")] = found.get("value", "")
        elif tag == "textarea":
            self._area = found["name"]
            self.forms[-1][self._area] = ""

    def handle_endtag(self, tag: str) -> None:
        self._labels -= tag == "label"
        if tag == "textarea":
            # A browser drops the line end behind the opening tag.
            self.forms[-1][self._area] = self.forms[-1][self._area].removeprefix("\n")
            self._area = ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.forms[-1][self._area] += data
        self.text += data


class Seen:
    """A page as it was answered."""

    def __init__(self, status: int, html: str, path: str) -> None:
        self.status = status
        self.html = html
        self.path = path
        self.page = Reader(html)

    @property
    def text(self) -> str:
        return " ".join(self.page.text.split())

    def form(self, action: str, **holding: str) -> dict[str, str]:
        """The fields of the first form that leads there and holds these values."""
        for path, fields in zip(self.page.actions, self.page.forms, strict=True):
            if path in (action, PREFIX + action) and holding.items() <= fields.items():
                return dict(fields)
        raise AssertionError(f"no form for {action} on {self.path}")


class Browser:
    """A browser that was let in to the console over a memory."""

    def __init__(self, memory: Memory, around: Around | None = None) -> None:
        self.doors = make_doors(memory, around)
        self.client = TestClient(self.doors, base_url=HOME)
        assert self.client.get(self.doors.invite()).status_code == 200

    def get(self, path: str, **query: str) -> Seen:
        answer = self.client.get(f"{PREFIX}{path}", params=query or None)
        return Seen(answer.status_code, answer.text, _path_of(str(answer.url)))

    def send(self, path: str, fields: dict[str, str], **more: str) -> Seen:
        answer = self.client.post(f"{PREFIX}{path}", data={**fields, **more})
        return Seen(answer.status_code, answer.text, _path_of(str(answer.url)))

    @property
    def csrf(self) -> str:
        """The token that this browser's forms bear."""
        cookie = self.client.cookies[f"engrain-console-{PORT}"]
        return AdmittedBrowser(cookie).csrf


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    return parts.path.removeprefix(PREFIX) + (f"?{parts.query}" if parts.query else "")
