"""Write a skill as `SKILL.md`, the file that agents' hosts load (Agent Skills, agentskills.io): a
name and a description in its frontmatter, and the text of the note."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from engrain.language.text.fences import shorten
from engrain.model.experience.skills import describe_skill, parse_skill
from engrain.model.note.note import hash_bytes, render_value

MAIN = "SKILL.md"
MOST_NAME, MOST_DESCRIPTION = 64, 1024
"""The most characters that the format allows."""
_TAGS = "engrain-tags"
"""The key of `metadata`, which hosts ignore, for the tags of the note."""


def write_skill(slug: str, body: str, tags: Sequence[str] = ()) -> tuple[str, bytes]:
    """Return the name of the skill's folder, and the bytes of `SKILL.md` in it."""
    name = skill_name(slug)
    lines = [f"name: {name}", f"description: {_scalar(skill_description(body))}"]
    if tags:
        lines += ["metadata:", f"  {_TAGS}: {_scalar(' '.join(tags))}"]
    return name, "\n".join(["---", *lines, "---", "", body]).encode()


def _scalar(value: str) -> str:
    """Return a text as YAML on one line. Hosts end the frontmatter at three hyphens wherever they
    stand, so none are written."""
    rendered = render_value(value)
    if "---" not in rendered:
        return rendered
    return json.dumps(value, ensure_ascii=False).replace("---", "-\\u002d-")


def skill_name(slug: str) -> str:
    """Return a name that the format allows: a-z, 0-9 and single hyphens, 64 at most."""
    plain = unicodedata.normalize("NFKD", slug).encode("ascii", "ignore").decode().lower()
    name = re.sub("[^a-z0-9]+", "-", plain)[:MOST_NAME].strip("-")
    return name or "skill-" + hash_bytes(slug.encode())[:8]


def skill_description(body: str) -> str:
    """Return what a skill is for, cut at a word to the length that the format allows."""
    return shorten(describe_skill(parse_skill(body)), MOST_DESCRIPTION)
