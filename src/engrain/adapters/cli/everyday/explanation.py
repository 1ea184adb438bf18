"""Why a recall answered as it did: lines for a person, values for JSON."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style
from engrain.engine.core.recalled import Reasons, Recall

_CUT = {
    "limit": "beyond the limit",
    "weak": "far weaker than the best",
    "kind": "the phase has enough of its kind",
    "copy": "nearly the same text as a result",
    "loaded": "in the context already",
    "budget": "over the budget",
}


def explanation_lines(recall: Recall) -> Iterator[str]:
    """The words and signals of a recall, and each result with what every channel said of it."""
    explanation = recall.explanation
    if explanation is None:
        return
    yield style("title", "Why")
    words = [f"{clean_line(word)} ({count})" for word, count in explanation.words]
    yield "query words, and how many passages contain each: " + (", ".join(words) or "none")
    vectors = f"{recall.embedder} ({recall.model})" if recall.embedder else "none"
    yield f"vectors: {vectors}"
    for lost in explanation.lost:
        yield style("dim", f"  not {clean_line(lost)}")
    signals = ", ".join(f"{name} {value:.2f}" for name, value in explanation.signals.items())
    answer = "too little" if recall.rejected else "enough" if recall.given else "nothing found"
    for number, stage in enumerate(explanation.stages, 1):
        yield f"stage {number}: {clean_line(stage)}"
    yield f"relevance {recall.relevance:.2f}, {answer}: {signals}"
    if silence := explanation.silence:
        yield (
            f"the evidence is {silence.value:.2f} against a threshold of {silence.threshold:.2f}"
            f" ({clean_line(silence.reason)})"
        )
    yield ""
    for number, found in enumerate(recall.given, 1):
        yield f"{number}. {clean_line(found.row.title)}  {found.row.score:.3f}"
        if found.reasons is not None:
            yield from _reason_lines(found.reasons)
    if explanation.cut:
        yield "left out:"
    for cut in explanation.cut:
        named = f"{clean_line(cut.row.title)} ({clean_line(cut.row.id)})"
        yield f"   {named}: {_CUT[cut.reason]}"


def _reason_lines(reasons: Reasons) -> Iterator[str]:
    for part in reasons.parts:
        if part.score:
            rank = f"rank {part.rank}" if part.rank else "not ranked"
            worth = part.score * part.factor
            yield style(
                "dim",
                f"   {part.channel:<13} {rank:<11} {part.score:7.3f} x {part.factor:.2f}"
                f" = {worth:.3f}",
            )
    for name, factor in reasons.priors.items():
        yield style("dim", f"   {name:<13} {'prior':<11} {'':>7} x {factor:.2f}")


def describe_explanation(recall: Recall) -> Data:
    """`data.explanation`, and for each entry its reasons, in the order of the answer."""
    explanation = recall.explanation
    if explanation is None:
        return {}
    silence = explanation.silence
    return {
        "words": [{"word": word, "passages": count} for word, count in explanation.words],
        "signals": {name: round(value, 4) for name, value in explanation.signals.items()},
        "silence": silence and fields(silence, "value% threshold% reason"),
        **fields(explanation, "lost stages"),
        "results": [
            {"id": found.row.id, **_describe_reasons(found.reasons)}
            for found in recall.given
            if found.reasons is not None
        ],
        "cut": [
            {"id": cut.row.id, "reason": cut.reason, **_describe_reasons(cut.reasons)}
            for cut in explanation.cut
        ],
    }


def _describe_reasons(reasons: Reasons) -> Data:
    channels = {
        part.channel: {
            "rank": part.rank or None,
            "score": round(part.score, 6),
            "factor": part.factor,
        }
        for part in reasons.parts
    }
    return {"channels": channels, "priors": reasons.priors}
