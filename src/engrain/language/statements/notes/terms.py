"""Terms of which one takes the place of another in what a note says of a thing (S4.9): of each
class the terms, and the other ways in which a term is written behind `|`. What is missing here is
only not understood."""

from __future__ import annotations

from functools import lru_cache

from engrain.language.lexicons import read_rows


@lru_cache(maxsize=1)
def read_terms() -> dict[str, tuple[tuple[str, str], ...]]:
    """By a term in lower case what it may be, as (class, term)."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for rows, sign in ((read_rows("notes", "terms"), ""), (read_rows("kinds", "kinds"), "tool:")):
        for kind, terms in rows.items():
            for term in terms.split(", "):
                first, *others = (form.strip().lstrip("!") for form in term.split("|"))
                for form in (first, *others):
                    if form:
                        key = form.lower()
                        found[key] = (*found.get(key, ()), (sign + kind, first.lower()))
    return found


@lru_cache(maxsize=1)
def first_words() -> frozenset[str]:
    """With which words terms begin."""
    return frozenset(term.partition(" ")[0] for term in read_terms())


MOST_WORDS = 3
"""Words of a term."""

PROPER = frozenset(
    ("make", "go", "rust", "swift", "dart", "rails", "spring", "gin", "fly", "render", "remix",
     "react", "parcel", "poetry", "pip", "uv", "teams", "signal", "linear", "shortcut", "pivotal",
     "sublime", "helix", "zed", "cursor", "atom", "eclipse", "rider", "safari", "edge", "brave",
     "opera", "arc", "pixel", "galaxy", "golf", "polo", "civic", "ford", "focus", "fiesta", "zoe",
     "leaf", "micra", "mini", "amplitude", "segment", "plausible", "stripe", "square", "mollie",
     "notion", "roam", "intercom", "clerk", "apache", "karma", "cypress", "puppeteer", "sketch",
     "chef", "puppet", "rest", "soap", "starling", "mac", "android", "elastic", "oracle", "seat",
     "mocha", "jest", "spock", "accord", "node", "zoom", "bun", "vite", "sphinx", "railway",
     "colo", "maven", "drone", "fabric", "flux", "salt", "octopus", "nomad", "snowflake", "perl",
     "astro", "ember.js", "express.js", "telegram", "honeycomb", "charm", "basic auth")
)  # fmt: skip
"""Terms that are words besides: only those written like a name are meant."""
