"""What `save` is given: a memory to be filed, as its caller has it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.engine.core.redaction import Redaction


class Draft:
    """What a caller wants saved; None leaves a field to be detected or out. `weight` is from 0 to
    1, or some of its four factors, whose others are estimated (S3.3)."""

    __slots__ = (
        "confidence", "created", "derived_from", "due", "kind", "project", "ref", "slug", "source",
        "status", "tags", "text", "title", "valid_from", "valid_to", "weight",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        status: str | None = None,
        slug: str | None = None,
        created: float | None = None,
        valid_from: float | None = None,
        valid_to: float | None = None,
        confidence: float | None = None,
        weight: float | Mapping[str, float] | None = None,
        derived_from: Sequence[str] = (),
        source: str = "api",
        ref: str | None = None,
        due: str | None = None,
    ) -> None:
        self.text = text
        self.due = due
        self.title = title
        self.kind = kind
        self.tags = tags
        self.project = project
        self.status = status
        self.slug = slug
        self.created = created
        self.valid_from = valid_from
        self.valid_to = valid_to
        self.confidence = confidence
        self.weight = weight
        self.derived_from = derived_from
        self.source = source
        self.ref = ref


def clean_draft(redaction: Redaction, draft: Draft) -> None:
    """Every text of a draft, in place: title, slug and tags are made from what is left."""
    names = ("text", "title", "slug", "project", "source", "ref")
    given = [getattr(draft, name) for name in names]
    if redaction.finds([*given, *(draft.tags or ()), *draft.derived_from]):
        for name, text in zip(names, given, strict=True):
            setattr(draft, name, redaction.clean_given(text))
        if draft.tags is not None:
            draft.tags = [redaction.clean(tag) for tag in draft.tags]
        draft.derived_from = [redaction.clean(source) for source in draft.derived_from]
