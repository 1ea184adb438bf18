"""A rule of `model.secrets`: one kind of secret, and what it looks like."""

from __future__ import annotations

import re

MAX_VALUE = 256
"""Characters of a value behind a key that are looked at; what follows without a break goes too."""


class Rule:
    """One kind of secret: the `pattern`, whose last group that matched is the secret, all of it
    where it has no group; and `keywords` in lower case, at one of which it begins, or, if it is not
    `anchored`, one of which the text must have.

    `weigh` names what judges the value by itself and by what stands before it in the match.
    """

    __slots__ = ("anchored", "compiled", "keywords", "name", "pattern", "weigh")

    def __init__(
        self, name: str, keywords: str, pattern: str, weigh: str = "token", *, anchored: bool = True
    ) -> None:
        self.name = name
        self.keywords = tuple(keywords.split("|"))
        self.pattern = pattern
        self.weigh = weigh
        self.anchored = anchored
        self.compiled: re.Pattern[str] | None = None
