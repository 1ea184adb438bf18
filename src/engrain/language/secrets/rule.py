"""A rule of `finding`: one kind of secret, and what it looks like."""

from __future__ import annotations

import re
from functools import cache

MAX_VALUE = 256
"""Characters of a value behind a key that are looked at; what follows without a break goes too."""

NEAR = 72
"""Characters behind a name in a sentence, and before it, in which its value is looked for."""

AT = "at"
SEARCH = "search"
NAMED = "named"
"""How a rule is tried: at each of its keywords; anywhere in a text that has one of them; as the
name of a value, which a mark assigns to it or a sentence nearby gives."""


class Rule:
    """One kind of secret: the `pattern`, whose last group that matched is the secret, all of it
    where it has no group; and the `keywords` in lower case that a text must have. By `form`
    the pattern begins at a keyword (`AT`) or not (`SEARCH`), or is only the name of a value, which
    `sentences` finds behind a mark or close by (`NAMED`).

    `weigh` names what judges the value by itself and by what stands before it in the match.
    """

    __slots__ = ("form", "keywords", "name", "pattern", "weigh")

    def __init__(
        self, name: str, keywords: str, pattern: str, weigh: str = "token", form: str = AT
    ) -> None:
        self.name = name
        self.keywords = tuple(keywords.split("|"))
        self.pattern = pattern
        self.weigh = weigh
        self.form = form

    @property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, which is compiled when a text first has a keyword of the rule."""
        return _compile(self.pattern)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
