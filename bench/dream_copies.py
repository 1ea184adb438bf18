"""Near copies in a seeded corpus, and mentions of notes by their titles that aren't links."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bench.dream_claims import unseen_half
from bench.dream_sheets import Sheet, World
from bench.dream_words import Page, names, read_sections

_LINK = re.compile(r"\[\[[^\]]*\]\]|`[^`]*`")
_WORD = re.compile(r"\w+(?:['\u2019]\w+)?")


def copy(world: World, of: Sheet, seed: int) -> Sheet:
    """A near copy: with other words, another opening, order, title or tags, a typo, one paragraph
    more, as chance has it; always at least one change of the text and one beside it."""
    chance = world.chance
    sections = {
        name: [lines[at] for at in unseen_half(seed, len(lines))]
        for name, lines in read_sections("copies").items()
        if name in ("words", "openings", "paragraphs", "titles")
    }
    text = list(of.text)
    ways = chance.sample(("words", "opening", "order", "typo", "paragraph", "left"), 3)
    if "order" in ways and not of.steps and len(text) > 3:
        at = chance.randint(1, len(text) - 2)
        text[at], text[at + 1] = text[at + 1], text[at]
        if chance.random() < 0.4:
            text.append(text.pop(1))
    if "left" in ways and len(text) > 4 and not of.steps:
        text.pop(chance.randrange(1, len(text)))
    if "words" in ways:
        text = [_reword(line, sections["words"]) for line in text]
    if "typo" in ways:
        at = chance.randrange(len(text))
        text[at] = _mistype(world, text[at])
    if "opening" in ways:
        text[0] = chance.choice(sections["openings"]) + text[0]
    if "paragraph" in ways:
        text.append(chance.choice(sections["paragraphs"]))
    beside = chance.choice(("title", "tags", "both", "both"))
    title = of.title
    if beside != "tags" or text == of.text:
        title = chance.choice(sections["titles"]).replace("{t}", title)
    made = world.sheet(of.kind, title, text)
    if chance.random() < 0.15:
        made.kind = "memory" if of.kind in ("fix", "insight", "learning") else of.kind
    made.project, made.steps, made.tags = of.project, of.steps, of.tags
    if beside != "title":
        words = read_sections("copies")["tags"][0].split()
        made.tags = (*of.tags[1:], *chance.sample(words, chance.choice((1, 2))))
    made.plain = of.plain = False
    return made


def mention(world: World, where: Sheet, of: Sheet, section: str = "mentions") -> None:
    """A sentence in `where` that names a sheet by its title or alias: as it stands, quoted, or with
    a small first letter, in the form of a section."""
    chance = world.chance
    called = chance.choice(of.aliases) if of.aliases else of.title
    if section == "mentions" and not of.aliases:
        way = chance.random()
        if way < 0.3:
            called = f'"{called}"'
        elif way < 0.5 and called.split()[0] not in (*names("projects"), *names("people")):
            called = called[0].lower() + called[1:]
    page = Page(chance, {"t": called, "n": world.person()})
    line = page.fill(chance.choice(read_sections("copies")[section]))
    where.text.insert(chance.randint(1, len(where.text)), line)
    where.plain = False


def can_be_named(sheet: Sheet) -> bool:
    """Whether a text can name a sheet by its title as a phrase: of at least three words, with no
    marks in it."""
    words = sheet.title.split()
    return 3 <= len(words) <= 9 and not set(sheet.title) & set('":?[]|#^`')


def link_mentions(sheets: Sequence[Sheet], left: set[tuple[str, str]]) -> int:
    """Make every mention of a title a link, but those `left` (who, of whom); how many there were.

    A mention by chance would be a missing link that no label knows of.
    """
    common = read_sections("copies")["common"][0].split("; ")
    titles: dict[tuple[str, ...], list[Sheet]] = {}
    for sheet in sheets:
        for name in (sheet.title, *sheet.aliases):
            folded = tuple(word.casefold() for word in _WORD.findall(name))
            if len(folded) > 1 and name not in common:
                titles.setdefault(folded, []).append(sheet)
    lengths: dict[tuple[str, ...], set[int]] = {}
    for key in titles:
        lengths.setdefault(key[:2], set()).add(len(key))
    count = 0
    for sheet in sheets:
        for at, line in enumerate(sheet.text):
            hidden = _LINK.sub(lambda found: " " * len(found[0]), line)
            found = list(_WORD.finditer(hidden))
            words = [one[0].casefold() for one in found]
            edge = len(line)
            for start in range(len(words) - 2, -1, -1):
                sizes = lengths.get(tuple(words[start : start + 2]), ())
                for size in sorted(sizes, reverse=True):
                    named = titles.get(tuple(words[start : start + size]), [])
                    if not named or sheet in named or any((sheet.id, n.id) in left for n in named):
                        continue
                    if start + size > len(found) or found[start + size - 1].end() > edge:
                        continue
                    begin, end = found[start].start(), found[start + size - 1].end()
                    edge = begin
                    line = f"{line[:begin]}[[{named[0].title}|{line[begin:end]}]]{line[end:]}"
                    count += 1
                    break
            sheet.text[at] = line
    return count


def _reword(line: str, pairs: Sequence[str]) -> str:
    for pair in pairs:
        one, other = pair.split(" = ")
        line = re.sub(rf"\b{one}\b", other, line)
        line = re.sub(rf"\b{one.capitalize()}\b", other.capitalize(), line)
    return line


def _mistype(world: World, line: str) -> str:
    """One long word with two letters swapped; no name, no number."""
    words = [one for one in _WORD.finditer(line) if len(one[0]) > 5 and one[0].islower()]
    if not words:
        return line
    word = world.chance.choice(words)
    at = word.start() + world.chance.randint(1, len(word[0]) - 3)
    return line[:at] + line[at + 1] + line[at] + line[at + 2 :]
