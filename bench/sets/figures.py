"""Measurements as plain data for JSON, and as text for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bench.sets.measurement import FOREIGN_NAMELESS, NAMELESS, PLAIN
from bench.sets.metrics import METRICS
from bench.sets.separation import silenced_at
from bench.sets.summary import Figures, MeasurementReport, SilenceFigures
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean_line, style

_SHOWN = ("recall@5", "recall@10", "hit@1", "ndcg@10", "mrr")
_LABEL, _COLUMN = 34, 11
TABLE = {"hit@1": "hit@1", "hit@5": "hit@5", "recall@10": "R@10", "mrr": "MRR"}
_TABLE_LABEL, _TABLE_COLUMN = 38, 15
_PRICES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Shares of own questions lost at which the curves are shown."""
_STEPS = 24
_BARS = " ▁▂▃▄▅▆▇█"
_WHOLE_PRICE = 0.2
"""The share of own questions lost at which the drawn curve ends."""
_DIFFERENCE = "before after difference interval chance"
_CONDITIONS = {
    PLAIN: "as they are",
    FOREIGN_NAMELESS: "without names, own questions as they are",
    NAMELESS: "without names",
}


def describe_report(report: MeasurementReport) -> Data:
    """Return one object a unit, the baselines, and what was withheld."""
    data: Data = {"set": report.name, "skipped": report.skipped}
    for unit, found in report.units.items():
        data[unit] = {
            **_describe_figures(found.whole),
            "served": _describe_figures(report.served[unit]) if unit in report.served else None,
            "ahead": {
                metric: {"of": lead.baseline, **fields(lead.difference, _DIFFERENCE)}
                for metric, lead in report.leads(unit, METRICS).items()
            },
            "by_category": _describe_parts(found.by_category),
            "by_conversation": _describe_parts(found.by_group),
        }
    data["baselines"] = {name: _describe_parts(units) for name, units in report.baselines.items()}
    data["rejection"] = {
        condition: _describe_silence(silence) for condition, silence in report.silence.items()
    }
    data["configuration"] = fields(report.measured, "profile=profile.name embedder? degraded")
    return data


def describe_predictions(report: MeasurementReport) -> Data:
    """Unit -> question id -> ids, best first, so that anyone can score them."""
    return {
        unit: {ranking.question.id: list(ranking.answer.ids) for ranking in rankings}
        for unit, rankings in report.measured.rankings.items()
    }


def _headline(name: str, report: MeasurementReport) -> str:
    measured = report.measured
    embedder = f"embedder {measured.embedder}" if measured.embedder else "no embedder"
    return style("title", f"{name}: profile {measured.profile.name}, {embedder}")


def _footer(report: MeasurementReport) -> Iterator[str]:
    if report.skipped:
        yield style("dim", f"{report.skipped} questions have no evidence and were left out")
    if report.measured.degraded:
        yield style(
            "warning", f"some recalls were degraded: {clean_line(report.measured.degraded)}"
        )


def report_lines(report: MeasurementReport) -> Iterator[str]:
    """Yield every figure of one known set, or of the questions about the user's own vault."""
    yield _headline(report.name, report)
    for unit, found in report.units.items():
        heads = "".join(f"{metric:>{_COLUMN}}" for metric in _SHOWN)
        yield from ("", style("dim", f"{unit:<{_LABEL}}{heads}{'p50 ms':>9}"))
        for baseline, units in report.baselines.items():
            if unit in units:
                yield _figures_line(baseline, units[unit])
        yield _figures_line(report.measured.profile.name, found.whole)
        intervals = map(found.whole.intervals.__getitem__, _SHOWN)
        cells = "".join(f"{f'{low:.2f}-{high:.2f}':>{_COLUMN}}" for low, high in intervals)
        yield style("dim", f"{'  95 %':<{_LABEL}}{cells}")
        for parts in (found.by_category, found.by_group):
            for name, figures in parts.items():
                yield _figures_line(f"  {clean_line(name)}", figures)
    for condition, silence in report.silence.items():
        low, high = silence.intervals["auc"]
        yield from ("", style("dim", f"foreign questions {_CONDITIONS[condition]}"))
        yield f"  area under the curve  {silence.area:.3f}  [{low:.3f}, {high:.3f}]"
        yield (
            f"  got nothing           {silence.foreign_silenced:.1%} of {silence.foreign} foreign, "
            f"{silence.own_silenced:.1%} of {silence.own} own ones"
        )
        if held_out := silence.held_out:
            yield (
                f"  by held-out threshold {held_out.foreign_silenced:.1%} foreign, "
                f"{held_out.own_silenced:.1%} own"
            )
    yield from _footer(report)


def _describe_figures(figures: Figures) -> Data:
    return {
        "n": figures.n,
        **figures.means,
        "intervals": {metric: list(interval) for metric, interval in figures.intervals.items()},
        "latency_ms": {name: round(value, 3) for name, value in figures.latency.items()},
    }


def _describe_parts(parts: Mapping[str, Figures]) -> Data:
    return {name: _describe_figures(figures) for name, figures in parts.items()}


def _describe_silence(silence: SilenceFigures) -> Data:
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


def domain_lines(name: str, report: MeasurementReport) -> Iterator[str]:
    """Yield one domain: the baselines, recall, how far it is ahead, and silence."""
    yield _headline(clean_line(name), report)
    for unit, found in report.units.items():
        heads = "".join(f"{head:>{_TABLE_COLUMN}}" for head in TABLE.values())
        yield style("dim", f"{f'{unit}, {found.whole.n} questions':<{_TABLE_LABEL}}{heads}")
        for baseline, units in report.baselines.items():
            yield _table_line(f"  {baseline}", units[unit])
        yield _table_line("  recall, nothing withheld", found.whole)
        if unit in report.served:
            yield _table_line("  recall", report.served[unit])
        if leads := report.leads(unit, tuple(TABLE)):
            ahead = [lead.difference for lead in leads.values()]
            cells = "".join(f"{each.difference:>+{_TABLE_COLUMN}.3f}" for each in ahead)
            yield f"{'  ahead of the best baseline':<{_TABLE_LABEL}}{cells}"
            intervals = (f"{each.interval[0]:+.3f} {each.interval[1]:+.3f}" for each in ahead)
            cells = "".join(f"{cell:>{_TABLE_COLUMN}}" for cell in intervals)
            yield style("dim", f"{'    95 %':<{_TABLE_LABEL}}{cells}")
    for condition, silence in report.silence.items():
        low, high = silence.intervals["auc"]
        yield style("dim", f"foreign prompts {_CONDITIONS[condition]}")
        yield (
            f"  silent on {silence.foreign_silenced:.1%} of {silence.foreign};"
            f" {silence.own_silenced:.1%} of {silence.own} own questions lost;"
            f" AUC {silence.area:.3f} [{low:.3f}, {high:.3f}]"
        )
        prices = "".join(f"{price:>7.0%}" for price in _PRICES)
        shares = "".join(f"{silenced_at(silence.curve, price):>7.1%}" for price in _PRICES)
        yield style("dim", f"  own lost at most  {prices}")
        yield f"  silenced          {shares}  {_draw_curve(silence.curve)}"
    yield from _footer(report)
    yield ""


def _table_line(label: str, figures: Figures) -> str:
    values = "".join(f"{figures.means[metric]:>{_TABLE_COLUMN}.3f}" for metric in TABLE)
    return f"{label:<{_TABLE_LABEL}}{values}"


def _draw_curve(curve: Sequence[tuple[float, float]]) -> str:
    """Draw the share silenced as bars, from no own question lost to a fifth of them."""
    shares = [silenced_at(curve, _WHOLE_PRICE * step / (_STEPS - 1)) for step in range(_STEPS)]
    return "".join(_BARS[round(share * (len(_BARS) - 1))] for share in shares)
