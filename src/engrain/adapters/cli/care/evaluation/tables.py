"""The suite as plain data for JSON, and as tables for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.cli.care.evaluation.figures import CONDITIONS, FORMAT, describe_report
from engrain.adapters.present.records import Data
from engrain.adapters.present.text import Style, clean_line
from engrain.evaluation.measurement import FOREIGN_NAMELESS, NAMELESS, PLAIN
from engrain.evaluation.metrics import Difference, silenced_at
from engrain.evaluation.summary import Figures, Report, Silence, collect_rows
from engrain.language.text.instants import format_instant

_SHOWN = {"hit@1": "hit@1", "hit@5": "hit@5", "recall@10": "R@10", "mrr": "MRR"}
_LABEL, _COLUMN = 38, 15
_NAME = 19
_PRICES = (0.0, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2)
"""Shares of own questions lost at which the curves are shown."""
_STEPS = 24
_BARS = " ▁▂▃▄▅▆▇█"
_WHOLE_PRICE = 0.2
"""The share of own questions lost at which the drawn curve ends."""


def describe_suite(
    reports: Mapping[str, Report], absent: Mapping[str, str], folder: str | None
) -> Data:
    """The `data` of `engrain eval suite`: by domain what `describe_report` gives."""
    return {
        "set": "suite",
        "data": folder,
        "domains": {name: describe_report(report) for name, report in reports.items()},
        "absent": dict(absent),
    }


def describe_suite_run(reports: Mapping[str, Report], data: Data, name: str, at: float) -> Data:
    """A run of the suite as it is saved: its figures, and each question's in every domain."""
    rows = {
        f"{domain}: {part}": questions
        for domain, report in reports.items()
        for part, questions in collect_rows(report).items()
    }
    return {"format": FORMAT, "name": name, "saved": format_instant(at), "data": data, "rows": rows}


def suite_lines(
    reports: Mapping[str, Report], absent: Mapping[str, str], style: Style
) -> Iterator[str]:
    """Every domain with its baselines and curves, then one line for each."""
    for name, report in reports.items():
        yield from domain_lines(name, report, style)
    yield from _overview_lines(reports, style)
    for name, reason in absent.items():
        yield style("warning", f"{clean_line(name)} was not asked: {clean_line(reason)}")


def domain_lines(name: str, report: Report, style: Style) -> Iterator[str]:
    """One domain: the baselines, recall, how far it is ahead, and silence."""
    measured = report.measured
    embedder = f"embedder {measured.embedder}" if measured.embedder else "no embedder"
    yield style("title", f"{clean_line(name)}: profile {measured.profile.name}, {embedder}")
    for unit, found in report.units.items():
        heads = "".join(f"{head:>{_COLUMN}}" for head in _SHOWN.values())
        yield style("dim", f"{f'{unit}, {found.whole.n} questions':<{_LABEL}}{heads}")
        for baseline, units in report.baselines.items():
            yield _figures_line(f"  {baseline}", units[unit])
        yield _figures_line("  recall, nothing withheld", found.whole)
        if unit in report.served:
            yield _figures_line("  recall", report.served[unit])
        if leads := report.leads(unit, tuple(_SHOWN)):
            yield from _lead_lines([lead.difference for lead in leads.values()], style)
    for condition, silence in report.silence.items():
        yield from _silence_lines(CONDITIONS[condition], silence, style)
    if report.skipped:
        yield style("dim", f"{report.skipped} questions have no evidence and were left out")
    if measured.degraded:
        yield style("warning", f"some recalls were degraded: {clean_line(measured.degraded)}")
    yield ""


def verdict_lines(name: str, report: Report, style: Style) -> Iterator[str]:
    """One vault: its tables, and what recall does there in one line."""
    yield from domain_lines(name, report, style)
    [served] = report.served.values()
    text = f"hit@1 {served.means['hit@1']:.3f}, hit@5 {served.means['hit@5']:.3f}"
    if silence := report.silence.get(PLAIN):
        text += (
            f", silent on {silence.foreign_silenced:.1%} of foreign prompts,"
            f" {silence.own_silenced:.1%} of own questions lost"
        )
    yield style("title", f"recall on {clean_line(name)}: {text}")


def _figures_line(label: str, figures: Figures) -> str:
    values = "".join(f"{figures.means[metric]:>{_COLUMN}.3f}" for metric in _SHOWN)
    return f"{label:<{_LABEL}}{values}"


def _lead_lines(found: Sequence[Difference], style: Style) -> Iterator[str]:
    """How far recall is ahead of the best baseline in each metric, and the 95 % intervals."""
    cells = "".join(f"{each.difference:>+{_COLUMN}.3f}" for each in found)
    yield f"{'  ahead of the best baseline':<{_LABEL}}{cells}"
    intervals = (f"{each.interval[0]:+.3f} {each.interval[1]:+.3f}" for each in found)
    cells = "".join(f"{cell:>{_COLUMN}}" for cell in intervals)
    yield style("dim", f"{'    95 %':<{_LABEL}}{cells}")


def _silence_lines(condition: str, silence: Silence, style: Style) -> Iterator[str]:
    low, high = silence.intervals["auc"]
    yield style("dim", f"foreign prompts {condition}")
    yield (
        f"  silent on {silence.foreign_silenced:.1%} of {silence.foreign};"
        f" {silence.own_silenced:.1%} of {silence.own} own questions lost;"
        f" AUC {silence.area:.3f} [{low:.3f}, {high:.3f}]"
    )
    prices = "".join(f"{price:>7.0%}" for price in _PRICES)
    shares = "".join(f"{silenced_at(silence.curve, price):>7.1%}" for price in _PRICES)
    yield style("dim", f"  own lost at most  {prices}")
    yield f"  silenced          {shares}  {draw_curve(silence.curve)}"


def draw_curve(curve: Sequence[tuple[float, float]]) -> str:
    """The share silenced as bars, from no own question lost to a fifth of them."""
    shares = [silenced_at(curve, _WHOLE_PRICE * step / (_STEPS - 1)) for step in range(_STEPS)]
    return "".join(_BARS[round(share * (len(_BARS) - 1))] for share in shares)


def _overview_lines(reports: Mapping[str, Report], style: Style) -> Iterator[str]:
    heads = ("hit@1", "hit@5", "R@10", "MRR", "silent", "no names", "lost", "AUC", "no names")
    yield style("dim", f"{'recall':<{_NAME}}" + "".join(f"{head:>9}" for head in heads))
    for name, report in reports.items():
        for unit, found in report.units.items():
            figures = report.served.get(unit)
            cells = [(figures or found.whole).means[metric] for metric in _SHOWN]
            silence = report.silence if figures else {}
            silences = [silence.get(PLAIN), silence.get(FOREIGN_NAMELESS) or silence.get(NAMELESS)]
            columns = [f"{cell:.3f}" for cell in cells]
            columns += [f"{each.foreign_silenced:.3f}" if each else "" for each in silences]
            columns += [f"{each.own_silenced:.3f}" if each else "" for each in silences[:1]]
            columns += [f"{each.area:.3f}" if each else "" for each in silences]
            yield f"{clean_line(f'{name}, {unit}'):<{_NAME}}" + "".join(
                f"{cell:>9}" for cell in columns
            )
