"""Templates and notes as HTML in which nothing acts: text is escaped and cleaned of characters that
hide it; markdown has no HTML of its own and is sanitized once more."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import quote

import nh3
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markupsafe import Markup, escape

from engrain import __version__
from engrain.adapters.present.text import clean, clean_line, counted, excerpt
from engrain.adapters.web.asking import PREFIX
from engrain.adapters.web.words import describe_origin, format_age, format_short_day, make_excerpt
from engrain.language.text.instants import format_instant

MOST_RENDERED = 200_000
"""The most characters of a text that is rendered; a longer one is shown as plain text."""
_WIKILINK = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}


def find_url(reference: str) -> str:
    """Return the address of an entry's page, by any of its names."""
    return f"{PREFIX}/entry?id={quote(reference, safe='')}"


def render_markdown(text: str, find: Callable[[str], str] = find_url) -> Markup:
    """Return a note's text as sanitized HTML: no scripts, styles, images or frames; links lead to
    other entries, whose addresses `find` returns by their names, or out with `rel`; control and
    bidirectional characters are removed."""
    text = clean(text)
    if len(text) > MOST_RENDERED:
        return Markup("<pre>{}</pre>").format(text)
    sanitized = nh3.clean(
        _PARSER.render(text, {"find": find}),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )
    return Markup(sanitized)


def render_diff(lines: list[str] | tuple[str, ...]) -> Markup:
    """Return the lines of a unified diff, each marked as added, removed or context."""
    names = {"+": "ins", "-": "del", "@": "i"}
    parts = []
    for line in lines:
        shown = escape(clean(line)) or Markup("&nbsp;")
        head = line.startswith(("+++", "---"))
        name = "b" if head else names.get(line[:1], "span")
        parts.append(Markup("<{0}>{1}</{0}>").format(Markup(name), shown))
    return Markup('<pre class="diff" tabindex="0">{}</pre>').format(Markup("\n").join(parts))


def _read_wikilink(state: StateInline, silent: bool) -> bool:
    """Apply a rule of markdown-it: `[[target|label]]` links to the entry of that name."""
    found = _WIKILINK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        target, label = found.groups()
        name = target.rpartition("::")[2].partition("#")[0].strip()
        opened = state.push("link_open", "a", 1)
        opened.attrs = {"href": state.env["find"](name or target)}
        state.push("text", "", 0).content = clean_line(label or target)
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


_PARSER = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
_PARSER.enable(["table", "strikethrough"]).disable("image")
_PARSER.inline.ruler.before("link", "wikilink", _read_wikilink)

FOLDER = Path(__file__).parent
_LONGEST = 160


def render(template: str, values: Mapping[str, object]) -> str:
    """Return a template with its values as HTML."""
    return _TEMPLATES.get_template(template).render(values)


def _finish(value: object) -> object:
    """Return a template's value as output: text without characters that hide or reverse text."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return "" if value is None else value


def _line(text: object, length: int = _LONGEST) -> str:
    """Return the beginning of a value on one line."""
    return excerpt(str(text or "")[: 8 * length], length)


def _when(at: float | None) -> Markup:
    """Return an instant in local time, with the exact one on hover."""
    if at is None:
        return Markup('<span class="dim">undated</span>')
    try:
        exact, shown = (
            format_instant(at),
            f"{format_short_day(at)}, {time.strftime('%H:%M', time.localtime(at))}",
        )
    except (OverflowError, ValueError, OSError):
        return Markup('<span class="dim">{}</span>').format(at)
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(exact, shown)


def _ago(at: float | None) -> Markup:
    """Return how long ago an instant was, with the exact one on hover."""
    if at is None:
        return _when(at)
    try:
        return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(
            format_instant(at), format_age(at)
        )
    except (OverflowError, ValueError, OSError):
        return _when(at)


def _bar(share: float, begin: float = 0.0) -> Markup:
    """Return a bar whose length and beginning are shares of the whole (0 to 1)."""
    start, end = (round(100 * min(max(one, 0.0), 1.0), 1) for one in (begin, begin + share))
    shape = (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="of" width="100" height="6"/><rect x="{}" width="{}" height="6"/></svg>'
    )
    return Markup(shape).format(start, round(end - start, 1))


def _plain(value: object) -> str:
    """Return a value of the frontmatter as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


_TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=_finish,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters |= {
    "line": _line,
    "when": _when,
    "ago": _ago,
    "clock": lambda at: time.strftime("%H:%M", time.localtime(at)),
    "exact": format_instant,
    "capfirst": lambda text: text[:1].upper() + text[1:],
    "tell": make_excerpt,
    "date": lambda text: _line(text)[:10],
    "markdown": render_markdown,
    "diff": render_diff,
    "plain": _plain,
    "counted": counted,
    "q": lambda text: quote(str(text), safe=""),
    "entry": find_url,
    # A conflict copy shares its id with another entry, so its path names it.
    "of_row": lambda row: find_url(row.id if row.primary else row.locator),
}
_TEMPLATES.globals |= {"base": PREFIX, "bar": _bar, "version": __version__}
_TEMPLATES.globals |= {"origin": describe_origin}
