"""Skills as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engrain.adapters.present.records import Data, describe_outcome, describe_row, instant_of
from engrain.adapters.present.text import Style, clean, clean_line, day_of, excerpt
from engrain.engine.core.outcomes import Outcome, Recalled
from engrain.engine.episodes.skills import ListedSkill
from engrain.model.experience.folders import SkillFolder
from engrain.model.experience.skills import describe_skill, parse_skill

_FROM_OUTSIDE = "from outside: nobody vouches for it"


def describe_listed(skill: ListedSkill, *, full: bool = False) -> Data:
    service = skill.service
    parsed = parse_skill(skill.entry.note.body, skill.entry.title)
    data: Data = {
        **describe_row(skill.row),
        "name": parsed.name,
        "description": describe_skill(parsed),
        "origin": skill.origin,
        "usage_count": service.uses,
        "success_count": service.successes,
        "failure_count": service.failures,
        "last_used": instant_of(service.last_used),
        "doubtful": service.doubtful,
    }
    if full:
        data |= {
            "prerequisites": parsed.prerequisites,
            "steps": parsed.steps,
            "errors": [{"error": error, "fix": fix} for error, fix in parsed.errors],
            "exit_criteria": parsed.exit_criteria,
            "derived_from": list(skill.entry.derived_from),
            "text": skill.entry.note.body,
        }
    return data


def describe_found(found: Sequence[Recalled]) -> list[Data]:
    return [
        {**describe_row(one.row), "score": round(one.row.score, 6), "text": one.text}
        for one in found
    ]


def describe_taken(folder: SkillFolder, outcome: Outcome) -> Data:
    left = [{"path": path, "reason": reason} for path, reason in folder.left_out]
    return {"name": folder.name, **describe_outcome(outcome), "left_out": left}


def listed_lines(skills: Sequence[ListedSkill], style: Style) -> Iterator[str]:
    for skill in skills:
        parsed = parse_skill(skill.entry.note.body, skill.entry.title)
        yield f"{style('dim', clean_line(skill.row.id))}  {style('title', clean_line(parsed.name))}"
        yield "  " + excerpt(describe_skill(parsed), 160)
        yield from (f"  {line}" for line in _facts(skill, style))
    yield style("dim", f"{len(skills)} in all") if skills else "No skills."


def shown_lines(skill: ListedSkill, style: Style) -> Iterator[str]:
    yield f"{style('dim', clean_line(skill.row.id))}  {clean(skill.row.locator)}"
    if skill.entry.status != "active":
        yield style("warning", f"it is {clean_line(skill.entry.status)}")
    yield from _facts(skill, style)
    yield ""
    yield from clean(skill.entry.note.body).splitlines()


def found_lines(found: Sequence[Recalled], style: Style) -> Iterator[str]:
    for number, one in enumerate(found, 1):
        row = one.row
        facts = f"({clean_line(row.source)} said, {row.score:.2f})"
        yield f"{number}. {style('title', clean_line(row.title))}  {style('dim', facts)}"
        yield style("dim", f"   {clean_line(row.id)}  {clean(row.locator)}")
        yield f"   {excerpt(one.text)}"
    if not found:
        yield "No skill applies."


def taken_lines(taken: Sequence[tuple[SkillFolder, Outcome]], style: Style) -> Iterator[str]:
    for folder, outcome in taken:
        yield f"{outcome.outcome}  {style('title', clean_line(folder.name))}  {outcome.id}"
        for path, reason in folder.left_out:
            yield style("dim", f"  left out: {clean_line(path)}: {clean_line(reason)}")


def _facts(skill: ListedSkill, style: Style) -> Iterator[str]:
    service = skill.service
    if service.uses:
        yield style(
            "bad" if service.doubtful else "dim",
            f"uses {service.uses}: {service.successes} success, {service.failures} failure, "
            f"last on {day_of(service.last_used)}"
            + ("; it fails more often than it serves" if service.doubtful else ""),
        )
    if skill.origin == "external":
        yield style("warning", _FROM_OUTSIDE)
