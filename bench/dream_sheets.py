"""Notes of a seeded corpus while they are made: a sheet, its subject, and the world they are of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random

from bench.dream_words import Page, base_notes, names, read_sections
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.note.note import make_id
from engrain.model.note.tiers import kind_of

BEGIN, END = 1_672_531_200.0, 1_761_955_200.0
"""Between which instants the notes were written: 2023 and nearly three years."""

PLANS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fix": ("fix", ("symptom", "cause", "remedy", "check", "aside")),
    "decision": ("decision", ("decided", "because", "because", "revisit")),
    "reference": ("domain-reference", ("context", "refaside", "refaside")),
    "procedural": ("procedural", ("prereq", "step", "step", "step", "exit")),
    "meeting": ("memory", ("meetopen", "meetpoint", "meetpoint", "meetpoint", "todo")),
    "insight": ("insight", ("observed", "numbers", "consequence", "aside")),
    "idea": ("idea", ("ideaopen", "ideaweigh", "ideaweigh")),
    "preference": ("preference", ("wish", "context", "revisit")),
    "context": ("learning", ("context", "observed", "refaside", "aside")),
}
"""What notes are like: the kind of the entry, and of which sections its sentences are."""


class Sheet:
    """A note being made. `text` is its sentences or lines; `plain` while no label is about it."""

    __slots__ = (
        "aliases", "created", "id", "kind", "plain", "project", "status", "steps", "supersedes",
        "tags", "text", "title", "trust",
    )  # fmt: skip

    def __init__(self, id_: str, created: float, kind: str, title: str, text: list[str]) -> None:
        self.id = id_
        self.created = created
        self.kind = kind
        self.title = title
        self.text = text
        self.tags: tuple[str, ...] = ()
        self.project: str | None = None
        self.aliases: tuple[str, ...] = ()
        self.status = "active"
        self.supersedes: str | None = None
        self.steps = False
        """Whether the order of its text matters."""
        self.trust = "agent"
        self.plain = True

    def render(self) -> str:
        """The note as its file has it."""
        front = [f"id: {self.id}", f"title: {json.dumps(self.title, ensure_ascii=False)}"]
        front += [f"kind: {self.kind}", f"created: {format_instant(self.created)}"]
        if self.project:
            front.append(f"project: {self.project.lower()}")
        if self.tags:
            front.append(f"tags: [{', '.join(self.tags)}]")
        if self.aliases:
            front.append(f"aliases: {json.dumps(list(self.aliases))}")
        front.append(f"status: {self.status}")
        if self.supersedes:
            front.append(f"supersedes: {self.supersedes}")
        front.append(f"source: {{kind: session, ref: s{int(self.created) // 86400}, ")
        front[-1] += f"trust: {self.trust}}}"
        joined = "\n".join(self.text) if self.steps else " ".join(self.text)
        return "\n".join(("---", *front, "---", f"# {self.title}", "", joined, ""))

    def place(self, taken: set[str]) -> str:
        """Its path in the vault, which is entered among the taken ones."""
        folder = kind_of(self.kind).folder
        if "{project}" in folder:
            folder = folder.format(project=(self.project or "common").lower())
        if self.status == "superseded":
            folder = folder.replace("Memory/", "Memory/_archive/")
        slug = slugify(self.title, "note")
        path = f"{folder}/{slug}.md"
        if path in taken:
            path = f"{folder}/{slug}-{self.id[-6:]}.md"
        taken.add(path)
        return path


class Subject:
    """A component of a project, and what has been claimed of it."""

    __slots__ = ("claimed", "project", "short")

    def __init__(self, project: str, short: str) -> None:
        self.project = project
        self.short = short
        self.claimed: set[str] = set()

    @property
    def full(self) -> str:
        return f"the {self.project} {self.short}"


class World:
    """The projects, components and people of a corpus, and sheets about them."""

    __slots__ = ("_unused", "chance", "people", "projects", "subjects", "titles")

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.projects = chance.sample(names("projects"), len(names("projects")))
        surnames = names("surnames")
        self.people = [f"{one} {two}" for one in names("people") for two in surnames]
        chance.shuffle(self.people)
        self.subjects: list[Subject] = []
        self.titles: set[str] = set()
        shorts = [f"{one} {two}" for one in names("domains") for two in names("machines")]
        self._unused = [Subject(project, short) for project in self.projects for short in shorts]
        chance.shuffle(self._unused)

    def new_subject(self, short: str | None = None) -> Subject:
        """A component of which no note tells yet; of a given name in some project."""
        at = len(self._unused) - 1
        while short is not None and self._unused[at].short != short:
            at -= 1
        subject = self._unused.pop(at)
        self.subjects.append(subject)
        return subject

    def known_subject(self) -> Subject:
        """A component that may have notes, a new one now and then."""
        if len(self.subjects) < 40 or self.chance.random() < 0.2:
            return self.new_subject()
        return self.chance.choice(self.subjects[-400:])

    def person(self) -> str:
        """Somebody, by their whole name or the first one."""
        name = self.chance.choice(self.people[:200])
        return name if self.chance.random() < 0.4 else name.split()[0]

    def page(self, subject: Subject) -> Page:
        """A page about a component."""
        title = f"{subject.project} {subject.short}"
        two = (self.person(), self.person())
        slots = {"c": subject.full, "C": title, "p": subject.project, "n": two[0], "m": two[1]}
        return Page(self.chance, slots)

    def sheet(
        self, kind: str, title: str, text: Sequence[str], after: float = BEGIN, before: float = END
    ) -> Sheet:
        """A new sheet, written at some time."""
        created = float(self.chance.randint(int(after), max(int(after) + 86_400, int(before))))
        made = Sheet(make_id(created, self.chance.randbytes(10)), created, kind, title, [*text])
        if self.chance.random() < 0.1:
            made.trust = "operator"
        self.titles.add(title)
        return made

    def compose(self, subject: Subject, plan: str = "", after: float = BEGIN) -> Sheet:
        """A sheet about a component by a plan, by chance if none is named."""
        chance = self.chance
        free = [name for name in PLANS if name != "decision" or name not in subject.claimed]
        plan = plan or chance.choice(free)
        page = self.page(subject)
        kind, sections = PLANS[plan]
        kept = [name for at, name in enumerate(sections) if at < 2 or chance.random() < 0.8]
        text: list[str] = []
        for name in dict.fromkeys(kept):
            text += page.draw_many(name, kept.count(name), subject.claimed)
        subject.claimed.add(plan)
        if not text:  # all is told of it
            return self.compose(self.new_subject(), plan, after)
        made = self.sheet(kind, self.title(page, plan), text, after)
        made.project = subject.project
        words = (*subject.short.split(), page.slots.get("things", ""), plan)
        made.tags = tuple(
            word.replace(" ", "-") for word in words if word and chance.random() < 0.6
        )
        if plan == "procedural":
            made.steps = True
            made.text[1:-1] = [f"{at}. {line}" for at, line in enumerate(made.text[1:-1], 1)]
        return made

    def title(self, page: Page, plan: str) -> str:
        """A title that no sheet has yet."""
        frames = read_sections("titles")[plan]
        for _ in range(30):
            title = page.fill(self.chance.choice(frames))
            if title not in self.titles:
                return title
        return f"{title}, {page.fill('{date}')}"

    def hand_written(self) -> Iterator[Sheet]:
        """The hand-written notes with the names of this world's people in them."""
        for kind, title, tags, text in base_notes():
            two = {"{N}": self.person(), "{M}": self.person()}
            for slot, name in two.items():
                title, text = title.replace(slot, name), text.replace(slot, name)
            made = self.sheet(kind, title, _split(text))
            made.tags = tags
            if kind_of(kind).folder.startswith("projects"):
                made.project = self.chance.choice(self.projects)
            yield made


def _split(text: str) -> list[str]:
    """The sentences of a text, one an item."""
    found, rest = [], text.replace("\n", " ")
    for part in rest.split(". "):
        found.append(part if part.endswith((".", "?", "!")) else f"{part}.")
    return found
