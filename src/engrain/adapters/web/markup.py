"""Notes as HTML in which nothing acts: markdown without HTML of its own, sanitized once more."""

from __future__ import annotations

import re
from urllib.parse import quote

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markupsafe import Markup, escape

from engrain.adapters.present.text import clean, clean_line
from engrain.adapters.web.asking import PREFIX

MOST_RENDERED = 200_000
"""Characters of a text that are rendered; a longer one is shown as it is written."""
_WIKILINK = re.compile(r"\[\[([^\[\]\n|]{1,300})(?:\|([^\[\]\n]{1,300}))?\]\]")
_TAGS = {
    *("a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr"),
    *("li", "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}}
_SCHEMES = {"http", "https", "mailto"}


def find_url(reference: str) -> str:
    """The page of an entry, by whatever names it."""
    return f"{PREFIX}/entry?id={quote(reference, safe='')}"


def render_markdown(text: str) -> Markup:
    """A note's text as HTML: no scripts, styles, images or frames; links lead to other entries, or
    out with `rel`, and control and bidirectional characters are gone."""
    text = clean(text)
    if len(text) > MOST_RENDERED:
        return Markup("<pre>{}</pre>").format(text)
    rendered = _PARSER.render(text)
    return Markup(
        nh3.clean(
            rendered,
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            url_schemes=_SCHEMES,
            link_rel="noopener noreferrer nofollow",
        )
    )


def render_diff(lines: list[str] | tuple[str, ...]) -> Markup:
    """The lines of a unified diff, each marked by what it does."""
    names = {"+": "ins", "-": "del", "@": "i"}
    parts = []
    for line in lines:
        shown = escape(clean(line)) or Markup("&nbsp;")
        head = line.startswith(("+++", "---"))
        name = "b" if head else names.get(line[:1], "span")
        parts.append(Markup("<{0}>{1}</{0}>").format(Markup(name), shown))
    return Markup('<pre class="diff" tabindex="0">{}</pre>').format(Markup("\n").join(parts))


def _read_wikilink(state: StateInline, silent: bool) -> bool:
    """A rule of markdown-it: `[[target|label]]` leads to the entry of that name."""
    found = _WIKILINK.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        target, label = found.groups()
        name = target.rpartition("::")[2].partition("#")[0].strip()
        opened = state.push("link_open", "a", 1)
        opened.attrs = {"href": find_url(name or target)}
        state.push("text", "", 0).content = clean_line(label or target)
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": 20})
    parser.enable(["table", "strikethrough"]).disable("image")
    parser.inline.ruler.before("link", "wikilink", _read_wikilink)
    return parser


_PARSER = _make_parser()
