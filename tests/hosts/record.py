"""Write down anew what the clients send to our hooks, as `payloads/HOST.json`.

python tests/hosts/record.py [HOST…]
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from pathlib import Path

from hosts.clients import CLIENTS, Home
from hosts.model import Call, serving

PAYLOADS = Path(__file__).parent / "payloads"
PROMPT = "The dunning test is flaky again & slow, please make it's clock > 0."
MEMORY = 'It\'s flaky because of two "clocks": pass one in, so that start < end && end > 0.'


def record(host: str) -> None:
    """Record one session of a client: a start with a memory, a prompt, a failing tool, the end."""
    client = CLIENTS[host]
    with tempfile.TemporaryDirectory(prefix="engrain-record-") as folder, serving() as model:
        home = Home(Path(folder), client, model)
        home.engrain("setup", host)
        home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=MEMORY)
        recorded = home.record()
        tool, argument = client.shell
        script = Call(tool, {argument: "ls /nowhere", "description": "list"})
        done = home.ask(PROMPT, script, "All done.")
        assert done.code == 0, done.err
        sent = [(path.stem.partition("-")[2], path.read_text()) for path in _by_time(recorded)]
        clean = [[event, json.loads(_clean(text, home))] for event, text in sent]
    lines = ",\n".join(" " + json.dumps(pair, ensure_ascii=False) for pair in clean)
    (PAYLOADS / f"{host}.json").write_text(
        f'{{"package": "{client.package}", "version": "{client.version}", "sent": [\n{lines}\n]}}\n'
    )


def _by_time(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _clean(text: str, home: Home) -> str:
    """Without this machine's folders, of which a client may make a name."""
    path = str(home.path)
    return text.replace(path, "/home/ada").replace(re.sub(r"[/_.]", "-", path), "-home-ada")


if __name__ == "__main__":
    for host in sys.argv[1:] or CLIENTS:
        record(host)
