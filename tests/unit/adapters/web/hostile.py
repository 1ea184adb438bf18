"""Notes that try to act: 200 files as another program, or somebody else, might leave them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

EVIL = "evil.example"
"""The host that every one of them would have a browser ask."""

ACTIVE = (
    f"<script src='http://{EVIL}/x.js'></script>",
    "<script>document.title='pwned'</script>",
    f"<img src=http://{EVIL}/i.png onerror=alert(1)>",
    f"![remote](http://{EVIL}/i.png)",
    f"![[http://{EVIL}/i.png]]",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    f"<svg><use href='http://{EVIL}/u.svg#x'/></svg>",
    f"<iframe src='http://{EVIL}/'></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    f"<object data='http://{EVIL}/o'></object><embed src='http://{EVIL}/e'>",
    f"<form action='http://{EVIL}/'><input name=q autofocus onfocus=alert(1)></form>",
    f"<style>@import 'http://{EVIL}/s.css'; body {{ display: none }}</style>",
    f"<link rel=stylesheet href='http://{EVIL}/s.css'>",
    f"<base href='http://{EVIL}/'>",
    f"<meta http-equiv=refresh content='0;url=http://{EVIL}/'>",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](java\tscript:alert(1))",
    "[click](&#106;avascript:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](vbscript:msgbox(1))",
    "<javascript:alert(1)>",
    "[ref]\n\n[ref]: javascript:alert(1)",
    "[[javascript:alert(1)]]",
    '[["><script>alert(1)</script>]]',
    "[[x|<img src=x onerror=alert(1)>]]",
    f"<video src='http://{EVIL}/v' autoplay></video><audio src='http://{EVIL}/a'></audio>",
    "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<details open ontoggle=alert(1)>x</details>",
    "<a href='javascript:alert(1)' style='position:fixed;inset:0'>everywhere</a>",
    "`<script>alert(1)</script>`",
    "```html\n<script>alert(1)</script>\n```",
    "<!--><script>alert(1)</script>-->",
    "<noscript><p title='</noscript><script>alert(1)</script>'>",
    "{{ ''.__class__ }} {% for x in y %} ${7*7}",
    "\u202etxet deppilf\u202c \u2066isolated\u2069 \u200bzero\u200bwidth",
    "\x1b]0;pwned\x07 \x00 \x7f control",
    "</textarea><script>alert(1)</script>",
    "</pre></div></main><script>alert(1)</script>",
    "| a | b |\n|---|---|\n| <script>alert(1)</script> | [x](javascript:alert(1)) |",
    f"hx-get http://{EVIL}/ <div hx-get='http://{EVIL}/' hx-trigger='load'></div>",
    "<div data-hx-on:click='alert(1)' hx-on::load='alert(1)'>x</div>",
    "[" * 2000 + "](" * 2000,
    "> " * 2000 + "deep",
    "*" * 5000 + "a" + "_" * 5000,
)
BROKEN = (
    "---\nid: [1, 2\n---\nbroken",
    "---\n- a list\n---\nbody",
    "---\nid: &a [*a]\n---\nbody",
    "---\ntitle: !!python/object/apply:os.system ['id']\n---\nbody",
    "---\nkind: <script>alert(1)</script>\nstatus: <b>\ntags: [<img src=x>, 1, {a: b}]\n---\nx",
    "---\nid: ../../../etc/passwd\nslug: ../x\n---\nx",
    '---\nid: "\'><script>alert(1)</script>"\n---\nx',
    "---\nconfidence: many\nweight: -.inf\nrecall_count: -3\ncreated: never\n---\nx",
    "---\ncreated: 99999-01-01\nupdated: -1\nlast_recalled: 1e300\n---\nx",
    '---\nsource: {agent: "<script>", trust: operator}\n---\nx',
    '---\nlinks: [{to: "<x>", relation: "<y>"}]\n---\nx',
    '---\nproject: "<script>alert(1)</script>"\nsupersedes: "<i>"\nderived_from: ["<u>"]\n---\nx',
)
ENTITY = (
    '{"name": "<script>alert(1)</script>", "entityType": "<b>", "items":'
    ' [{"id": "f1", "content": "<img src=x onerror=alert(1)>", "status": "active",'
    ' "createdAt": "<svg onload=alert(1)>", "sourceRef": "javascript:alert(1)"}]}'
)


def leave_all(vault: Path) -> int:
    """Leave them in a vault; how many."""
    numbers = count(1)
    for place, text in _spread():
        path = vault / place.format(next(numbers))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return next(numbers) - 1


def _spread() -> Iterator[tuple[str, str]]:
    for text in ACTIVE:
        line = " ".join(text.replace("\x00", "").split())[:500].replace('"', "'").replace("\\", "")
        yield "Memory/fix/body-{}.md", f"# Plain title about locks\n\n{text}\n"
        yield "preferences/title-{}.md", f"# {line}\n\nabout locks\n"
        yield (
            "Memory/active/field-{}.md",
            f'---\nkind: memory\ntitle: "{_printable(line)}"\n---\nabout locks\n',
        )
        yield "Memory/_inbox/in-{}.md", f"---\nstatus: inbox\n---\n# {line}\n\nlocks {text}\n"
    for text in BROKEN:
        yield "Memory/decision/broken-{}.md", text
    yield "Memory/fix/huge-{}.md", f"# {'A' * 1_000_000}\n\nabout locks\n"
    yield "Memory/fix/huge-{}.md", f"---\ntitle: {'B' * 400_000}\n---\nabout locks\n"
    yield "Memory/fix/long-{}.md", "# Long\n\n" + "locks <script>alert(1)</script>\n" * 9000
    yield "Memory/fix/bytes-{}.md", "# Bytes\n\n\udcff\udcfe locks\n"
    yield "Memory/entities/evil-{}/items.json", ENTITY
    yield "Memory/entities/evil-{}/items.json", '{"items": [[], 1, null, {"content": {}}]}'
    yield "Memory/episodic/2026-09-01/e-{}.json", ENTITY
    yield "Memory/ledgers/agent-{}.json", '{"agent_id": "<script>alert(1)</script>"}'
    yield "Memory/handoffs/h-{}.json", '{"id": "<i>", "what_was_done": "<script>alert(1)</script>"}'


def _printable(text: str) -> str:
    return "".join(char for char in text if char.isprintable())
