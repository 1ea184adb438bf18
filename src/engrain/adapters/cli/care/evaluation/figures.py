"""Evaluations as plain data for JSON, and as text for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import Style, clean_line
from engrain.evaluation.measurement import FOREIGN_NAMELESS, NAMELESS, PLAIN
from engrain.evaluation.metrics import METRICS, Difference
from engrain.evaluation.summary import Comparison, Figures, Report, Silence, collect_rows
from engrain.language.text.instants import format_instant

FORMAT = 1
"""Of a saved run."""
_SHOWN = ("recall@5", "recall@10", "hit@1", "ndcg@10", "mrr")
_LABEL, _COLUMN = 34, 11
_CERTAIN = 0.05
CONDITIONS = {
    PLAIN: "as they are",
    FOREIGN_NAMELESS: "without names, own questions as they are",
    NAMELESS: "without names",
}


def describe_report(report: Report) -> Data:
    """The `data` of `engrain eval`: one object a unit, the baselines, and what was withheld."""
    data: Data = {"set": report.name, "skipped": report.skipped}
    for unit, found in report.units.items():
        data[unit] = {
            **_describe_figures(found.whole),
            "served": _describe_figures(report.served[unit]) if unit in report.served else None,
            "ahead": {
                metric: {"of": lead.baseline, **_describe_difference(lead.difference)}
                for metric, lead in report.leads(unit, METRICS).items()
            },
            "by_category": _describe_parts(found.by_category),
            "by_conversation": _describe_parts(found.by_group),
        }
    data["baselines"] = {name: _describe_parts(units) for name, units in report.baselines.items()}
    data["rejection"] = {
        condition: _describe_silence(silence) for condition, silence in report.silence.items()
    }
    measured = report.measured
    data["configuration"] = {
        "profile": measured.profile.name,
        "embedder": measured.embedder or None,
        "fusion": measured.profile.fusion,
        "degraded": measured.degraded,
    }
    return data


def describe_answers(report: Report) -> list[Data]:
    """Question by question, what was expected and what came."""
    return [
        {
            "unit": unit,
            "id": ranking.question.id,
            "question": ranking.question.text,
            "category": ranking.question.category or None,
            "expected": sorted(ranking.question.gold),
            "ranked": list(ranking.answer.ids),
            **ranking.scores,
        }
        for unit, rankings in report.measured.rankings.items()
        for ranking in rankings
    ]


def describe_predictions(report: Report) -> Data:
    """Unit -> question id -> ids, best first, so that anyone can score them."""
    return {
        unit: {ranking.question.id: list(ranking.answer.ids) for ranking in rankings}
        for unit, rankings in report.measured.rankings.items()
    }


def describe_run(report: Report, name: str, at: float) -> Data:
    """A run as it is saved: its figures, and each question's, by which runs are compared."""
    return {
        "format": FORMAT,
        "name": name,
        "saved": format_instant(at),
        "data": describe_report(report),
        "rows": collect_rows(report),
    }


def describe_comparison(comparison: Comparison) -> Data:
    return {
        "before": comparison.before,
        "after": comparison.after,
        "parts": {
            part: {
                "n": comparison.shared[part],
                "alone": comparison.alone[part],
                **{metric: _describe_difference(found) for metric, found in metrics.items()},
            }
            for part, metrics in comparison.parts.items()
        },
    }


def report_lines(report: Report, style: Style) -> Iterator[str]:
    measured = report.measured
    embedder = f"embedder {measured.embedder}" if measured.embedder else "no embedder"
    yield style("title", f"{report.name}: profile {measured.profile.name}, {embedder}")
    for unit, found in report.units.items():
        heads = "".join(f"{metric:>{_COLUMN}}" for metric in _SHOWN)
        yield ""
        yield style("dim", f"{unit:<{_LABEL}}{heads}{'p50 ms':>9}")
        for baseline, units in report.baselines.items():
            if unit in units:
                yield _figures_line(baseline, units[unit])
        yield _figures_line(measured.profile.name, found.whole)
        yield style("dim", _interval_line(found.whole))
        for parts in (found.by_category, found.by_group):
            for name, figures in parts.items():
                yield _figures_line(f"  {clean_line(name)}", figures)
    yield from _silence_lines(report, style)
    if report.skipped:
        yield style("dim", f"{report.skipped} questions have no evidence and were left out")
    if measured.degraded:
        yield style("warning", f"some recalls were degraded: {clean_line(measured.degraded)}")


def missed_lines(report: Report, style: Style) -> Iterator[str]:
    """The questions of a user's own set without any expected entry among the results."""
    missed = [
        ranking
        for rankings in report.measured.rankings.values()
        for ranking in rankings
        if not ranking.scores["hit@10"]
    ]
    if missed:
        yield ""
        yield style("warning", "nothing that was expected was found for")
    for ranking in missed:
        yield f"  {clean_line(ranking.question.id)}: {clean_line(ranking.question.text)}"


def comparison_lines(comparison: Comparison, style: Style) -> Iterator[str]:
    before, after = clean_line(comparison.before), clean_line(comparison.after)
    yield style("title", f"{before} -> {after}")
    for part, metrics in comparison.parts.items():
        alone = comparison.alone[part]
        left = f", {alone} asked in one run only" if alone else ""
        yield ""
        yield style("dim", f"{clean_line(part)}, {comparison.shared[part]} questions{left}")
        for metric, found in metrics.items():
            low, high = found.interval
            line = (
                f"  {clean_line(metric):<12}{found.before:>8.3f} -> {found.after:.3f}"
                f"{found.difference:>+9.3f}  [{low:+.3f}, {high:+.3f}]"
            )
            if not found.difference:
                yield line + "  the same"
            elif found.chance >= _CERTAIN:
                yield line + "  may be chance"
            else:
                yield style("good" if found.difference > 0 else "bad", line)


def run_lines(runs: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The saved runs, one a line."""
    for run in runs:
        yield f"{clean_line(str(run['name'])):<24}{run['saved']}  {clean_line(str(run['set']))}"
    if not runs:
        yield "No run is saved yet: add --save NAME to `engrain eval`."


def _describe_figures(figures: Figures) -> Data:
    return {
        "n": figures.n,
        **figures.means,
        "intervals": {metric: list(interval) for metric, interval in figures.intervals.items()},
        "latency_ms": {name: round(value, 3) for name, value in figures.latency.items()},
    }


def _describe_difference(found: Difference) -> Data:
    return fields(found, "before after difference interval chance")


def _describe_parts(parts: Mapping[str, Figures]) -> Data:
    return {name: _describe_figures(figures) for name, figures in parts.items()}


def _describe_silence(silence: Silence) -> Data:
    held_out = silence.held_out
    return {
        **fields(silence, "own foreign auc=area own_silenced foreign_silenced"),
        "intervals": {name: list(interval) for name, interval in silence.intervals.items()},
        "curve": [list(point) for point in silence.curve],
        "held_out": held_out and fields(held_out, "own_silenced foreign_silenced thresholds"),
    }


def _figures_line(label: str, figures: Figures) -> str:
    named = f"{label} ({figures.n})"
    values = "".join(f"{figures.means[metric]:>{_COLUMN}.3f}" for metric in _SHOWN)
    return f"{named:<{_LABEL}}{values}{figures.latency['p50']:>9.1f}"


def _interval_line(figures: Figures) -> str:
    cells = (f"{low:.2f}-{high:.2f}" for low, high in map(figures.intervals.__getitem__, _SHOWN))
    return f"{'  95 %':<{_LABEL}}" + "".join(f"{cell:>{_COLUMN}}" for cell in cells)


def _silence_lines(report: Report, style: Style) -> Iterator[str]:
    for condition, silence in report.silence.items():
        low, high = silence.intervals["auc"]
        yield ""
        yield style("dim", f"foreign questions {CONDITIONS[condition]}")
        yield f"  area under the curve  {silence.area:.3f}  [{low:.3f}, {high:.3f}]"
        yield (
            f"  got nothing           {silence.foreign_silenced:.1%} of {silence.foreign} foreign, "
            f"{silence.own_silenced:.1%} of {silence.own} own ones"
        )
        if silence.held_out:
            yield (
                f"  by held-out threshold {silence.held_out.foreign_silenced:.1%} foreign, "
                f"{silence.held_out.own_silenced:.1%} own"
            )
