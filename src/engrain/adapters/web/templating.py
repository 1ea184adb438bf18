"""Templates as pages: everything is escaped, and what comes from the vault is cleaned."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from engrain import __version__
from engrain.adapters.present.text import clean, counted, excerpt
from engrain.adapters.web.asking import PREFIX
from engrain.adapters.web.markup import find_url, render_diff, render_markdown
from engrain.language.text.instants import format_instant
from engrain.seam.rows import Row

FOLDER = Path(__file__).parent
_LONGEST = 160
_WIDE, _HIGH = 240, 48


def render(template: str, values: Mapping[str, object]) -> str:
    """A template with its values as HTML."""
    return _TEMPLATES.get_template(template).render(values)


def _finish(value: object) -> object:
    """What a template writes out: text without characters that hide or turn text around."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return clean(value)
    return "" if value is None else value


def _line(text: object, length: int = _LONGEST) -> str:
    """A value on one line, cut; of a long one only the beginning is looked at."""
    return excerpt(str(text or "")[: 8 * length], length)


def _when(at: float | None) -> Markup:
    """An instant in local time, the exact one on hover."""
    if at is None:
        return Markup('<span class="dim">undated</span>')
    try:
        exact, shown = format_instant(at), time.strftime("%Y-%m-%d %H:%M", time.localtime(at))
    except (OverflowError, ValueError, OSError):
        return Markup('<span class="dim">{}</span>').format(at)
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(exact, shown)


def _bar(share: float, begin: float = 0.0) -> Markup:
    """A bar as long as a share of the whole, which begins at another (0 to 1)."""
    start, end = (round(100 * min(max(one, 0.0), 1.0), 1) for one in (begin, begin + share))
    shape = (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="of" width="100" height="6"/><rect x="{}" width="{}" height="6"/></svg>'
    )
    return Markup(shape).format(start, round(end - start, 1))


def _plot(values: Sequence[float], label: str) -> Markup:
    """Values in a row as a line."""
    if len(values) < 2:
        return Markup("")
    top = max(*values, 1e-9)
    step = _WIDE / (len(values) - 1)
    points = " ".join(
        f"{number * step:.1f},{_HIGH - 2 - value / top * (_HIGH - 6):.1f}"
        for number, value in enumerate(values)
    )
    shape = (
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}">'
        '<polyline points="{}"/></svg>'
    )
    return Markup(shape).format(_WIDE, _HIGH, label, points)


def _refer(row: Row) -> str:
    """The page of an entry in the index; a conflict copy shares its id, and goes by its place."""
    return find_url(row.id if row.primary else row.locator)


def _plain(value: object) -> str:
    """A value of the frontmatter as text."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def _make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finish,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "line": _line,
        "when": _when,
        "day": lambda at: _when(at) if at is None else format_instant(at)[:10],
        "date": lambda text: _line(text)[:10],
        "excerpt": excerpt,
        "markdown": render_markdown,
        "diff": render_diff,
        "plain": _plain,
        "counted": counted,
        "q": lambda text: quote(str(text), safe=""),
        "entry": find_url,
        "of_row": _refer,
    }
    environment.globals |= {"base": PREFIX, "bar": _bar, "plot": _plot, "version": __version__}
    return environment


_TEMPLATES = _make_environment()
