"""The figures of the simulation as one picture. matplotlib is of the dependency group `bench`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_LINES = {
    "kept": ("everything kept", "#777777", "-"),
    "decay": ("decay", "#1f6f8b", "-"),
    "decay-without-heat": ("decay, no heat", "#c8553d", "--"),
}
_AROUND = 8
"""Weeks over which a rate is taken: one week has some twenty questions."""
_DPI = 110


def require_matplotlib() -> None:
    """Raises SystemExit where it is not installed."""
    if find_spec("matplotlib") is None:
        raise SystemExit(
            "matplotlib is not installed: install the dependency group `bench`, "
            "or ask for --no-plot"
        )


def draw(figures: Mapping[str, Any], path: Path) -> None:
    """Write the picture."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    policies = {name: figures["policies"][name]["weeks"] for name in figures["policies"]}
    figure, ((size, loaded), (rate, sleepers)) = pyplot.subplots(2, 2, figsize=(11, 7))
    weeks = range(1, len(next(iter(policies.values()))["saved"]) + 1)
    first = next(iter(policies.values()))
    size.plot(weeks, [0.25 * saved for saved in first["saved"]], color="#bbbbbb", linestyle=":",
              label="a quarter of all ever saved")  # fmt: skip
    for name, counts in policies.items():
        label, color, style = _LINES[name]
        line: dict[str, Any] = {"color": color, "linestyle": style}
        size.plot(weeks, counts["live"], label=f"live, {label}", **line)
        loaded.plot(weeks, counts["loaded_tokens"], label=label, **line)
        rate.plot(weeks, _rates(counts["hits"], counts["asked"]), label=label, **line)
        sleepers.plot(weeks, _rates(counts["slept_hits"], counts["slept"]), label=label, **line)
    if "decay" in policies:
        counts = policies["decay"]
        both = [one + other for one, other in zip(counts["hits"], counts["looked"], strict=True)]
        rate.plot(weeks, _rates(both, counts["asked"]), color=_LINES["decay"][1], linestyle="--",
                  label="decay, with a second look into the archive")  # fmt: skip
        size.plot(weeks, policies["decay"]["archived"], color=_LINES["decay"][1], linestyle=":",
                  label="archived, decay")  # fmt: skip
    for axes, title in (
        (size, "Entries"),
        (loaded, "Tokens loaded in every session (the fullest project)"),
        (rate, f"Found among the first ten, of what is asked for (± {_AROUND // 2} weeks)"),
        (sleepers, "The same, of what slept for 60 days and more"),
    ):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("week", fontsize=8)
        axes.tick_params(labelsize=8)
        axes.set_xlim(0, len(weeks) + 1)
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8)
    for axes in (rate, sleepers):
        axes.set_ylim(0, 1.02)
    worlds = len(figures["seeds"])
    title = f"{figures['days']} simulated days, five sessions a day: "
    title += f"the mean of {worlds} worlds" if worlds > 1 else "one world"
    figure.suptitle(title, fontsize=11)
    figure.tight_layout()
    # Nothing of the day or the program goes into the file: the same figures are the same picture.
    figure.savefig(path, dpi=_DPI, metadata={"Software": None})
    pyplot.close(figure)


def _rates(hits: Sequence[float], asked: Sequence[float]) -> list[float]:
    """The share of hits in the weeks around each; none where nothing was asked."""
    rates = []
    for week in range(len(asked)):
        around = slice(max(0, week - _AROUND // 2), week + _AROUND // 2 + 1)
        whole = sum(asked[around])
        rates.append(sum(hits[around]) / whole if whole else float("nan"))
    return rates
