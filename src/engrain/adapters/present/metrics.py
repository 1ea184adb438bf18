"""Figures in Prometheus' text format, version 0.0.4
(https://prometheus.io/docs/instrumenting/exposition_formats/)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from engrain.seam.administration import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def render_metrics(metrics: Iterable[Metric]) -> str:
    """The lines of some metrics."""
    return "".join(line + "\n" for metric in metrics for line in _lines(metric))


def _lines(metric: Metric) -> Iterator[str]:
    yield f"# HELP {metric.name} {metric.meaning}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for suffix, labels, value in metric.samples:
        pairs = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels.items())
        yield f"{metric.name}{suffix}{'{' + pairs + '}' if pairs else ''} {_number(value)}"


def _number(value: float) -> str:
    if math.isfinite(value):
        return str(int(value)) if value == int(value) else repr(value)
    return "NaN" if math.isnan(value) else f"{value:+}".replace("inf", "Inf")
