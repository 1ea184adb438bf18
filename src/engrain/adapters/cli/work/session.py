"""`engrain session`: begin and end a session by hand, where no host does it."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command, read_session
from engrain.adapters.present.text import counted
from engrain.api.memory import Memory


def _begin(memory: Memory, args: Arguments) -> Answer:
    session = memory.sessions.begin(args.session, current=args.session is None)
    return {"session": session, "project": memory.project}, [f"session {session} has begun"]


def _end(memory: Memory, args: Arguments) -> Answer:
    session = read_session(args, memory.journal.current()) or ""
    raised = list(memory.sessions.end(session))
    count = f"{counted(len(raised), 'entry', 'entries')} recalled in it"
    data = {"session": session, "strengthened": raised}
    return data, [f"session {session} has ended; {count}"]


COMMAND = Command(
    [_begin, _end],
    """
<begin|end>  what happens
session=ID?  the session; begin: else a new one; end: else the open one
$ engrain session begin   # what is recalled from here on counts for it
$ engrain session end
$ engrain session begin ci-4711   # meant by ENGRAIN_SESSION=ci-4711, or --session
""",
)
