"""`engrain handoff`: pass work from one agent to another; each is claimed once."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.files import read_git
from engrain.adapters.cli.options import Answer, Arguments, Command, list_here, open_here, read_text
from engrain.adapters.present.records import Data, answer_outcome, fields, local_of
from engrain.adapters.present.text import bold, clean, clean_line, elsewhere_lines, style
from engrain.agents.handoffs import Handoff
from engrain.api.memory import Memory


def _create(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.handoffs.create(
        args.to or "",
        read_text(args.what),
        agent=args.from_agent or "",
        artifacts=args.artifact,
        git_state=read_git(args.git_state),
        needs_testing=args.needs_testing,
        known_issues=args.known_issue,
        relevant_patterns=args.pattern,
        id=args.as_id,
    )
    return answer_outcome(outcome)


def _list(memory: Memory, args: Arguments) -> Answer:
    found, elsewhere = list_here(
        lambda everywhere: memory.handoffs.list(
            to=args.to, taken=args.all, all_projects=everywhere
        ),
        args.all_projects,
    )
    lines = []
    for one in found:
        state = f" [{clean_line(one.claimed_by)} has it]" if one.claimed_by else ""
        title = bold(one.title)
        lines.append(f"{style('dim', clean_line(one.id))}  {title}{state}")
        lines.append(style("dim", f"  {_facts(one)}"))
    data = {"handoffs": [_describe(one) for one in found], "elsewhere": elsewhere}
    return data, [*(lines or ["No hand-off waits."]), *elsewhere_lines(elsewhere)]


def _show(memory: Memory, args: Arguments) -> Answer:
    handoff = memory.handoffs.show(args.id)
    return _describe(handoff), _lines(handoff)


def _claim(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.handoffs.claim(args.id, force=args.force)
    handoff = memory.handoffs.show(outcome.id)
    already = " already" if outcome.outcome == "unchanged" else ""
    line = style("good", f"{clean_line(handoff.claimed_by)} has it{already}.")
    data = {**_describe(handoff), "outcome": outcome.outcome}
    return data, [line, *_lines(handoff)]


def _describe(handoff: Handoff) -> Data:
    names = "id path hash project source=origin claimed_by? claimed_at@"
    return {**handoff.document, **fields(handoff, names)}


def _lines(handoff: Handoff) -> Iterator[str]:
    yield bold(handoff.title)
    yield style("dim", f"{clean_line(handoff.id)}  {_facts(handoff)}")
    yield from clean(handoff.what_was_done).splitlines()
    if handoff.git_state:
        yield f"git: {clean_line(handoff.git_state)}"
    for name, said in (
        ("artifacts", handoff.artifacts),
        ("needs testing", handoff.needs_testing),
        ("known issues", handoff.known_issues),
        ("patterns", handoff.relevant_patterns),
    ):
        if said:
            yield f"{name}:"
            yield from (f"  - {clean_line(item)}" for item in said)
    if handoff.claimed_by:
        yield f"{clean_line(handoff.claimed_by)} has it since {local_of(handoff.claimed_at)}"
    else:
        yield style("dim", f"it waits: engrain handoff claim {clean_line(handoff.id)} --agent NAME")


def _facts(handoff: Handoff) -> str:
    origin = f", source: {clean_line(handoff.origin)}" if handoff.origin else ""
    project = clean_line(handoff.project or "no project")
    return f"{local_of(handoff.timestamp) or 'undated'}, {project}{origin}"


COMMAND = Command(
    [_create, _list, _show, _claim],
    """
<create|list|show|claim>  the action
id=ID!             show, claim: which one
--to B             create: the receiving agent, or any; list: only those B may claim
# create
--from>from_agent A  create: the sending agent; else --agent
--what TEXT        create: what was done; - reads standard input
--artifact X*      create: a resulting file
--needs-testing X*  create: something to test
--known-issue X*   create: a known issue
--pattern X*       create: the id of a helpful entry
--git-state S      create: the repository's state; auto: read it now
--id>as_id ID      create: its id; else made
# list
| --open           list: unclaimed ones (the default)
| --all            list: include claimed ones
--all-projects     list: of all projects
# claim
--force            claim: even if it is for another agent
$ engrain handoff create --from eng-001 --to qa-001 --what "POST /todos is there" \
--artifact src/todos.ts --git-state auto --needs-testing "its validation"
$ engrain handoff create --to any --what "Half of the import is done" --agent eng-001
$ engrain handoff list --to qa-001
$ engrain handoff claim 01k8 --agent qa-001   # one gets it; exit code 4 names who has it
$ engrain handoff list --all --json
""",
    opens=open_here,
    strict=True,
)
