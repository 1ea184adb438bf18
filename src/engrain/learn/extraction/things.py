"""What is worth keeping of what is said of companies and projects: tables of predicates, as in
`engrain.learn.extraction.patterns`."""

from __future__ import annotations

from engrain.learn.extraction.patterns import Pattern
from engrain.learn.extraction.vocabulary import NAME

COMPANIES = (
    Pattern(
        "funding",
        r"(?:has |have )?raised (?:an? )?(?P<o>[$€£]?\d[\w.,]*(?: ?(?:million"
        r"|billion|M|B|k))?)",
        "Acme raised $5M",
        "funding",
    ),
    Pattern(
        "acquired",
        rf"(?:has |have )?(?:acquired|bought|merged with|took over) {NAME}|(?:was"
        rf"|has been|have been) (?:acquired|bought|taken over) by (?P<o>{NAME})",
        "Initech was acquired by Globex",
        "owned_by",
    ),
    Pattern(
        "hired", rf"(?:has |have )?(?:hired|appointed|promoted) {NAME}", "Acme hired Bob Stone"
    ),
    Pattern(
        "seat",
        rf"am (?:based|headquartered|located) in (?P<o>{NAME})|(?:has "
        r"|have )?(?:moved|relocated) (?:its|their) (?:headquarters|head office"
        rf"|office|HQ) to {NAME}",
        "Acme is based in Berlin",
        "headquarters",
    ),
    Pattern(
        "headcount",
        r"(?:have|employ) (?:about |around |over "
        r"|some )?(?P<o>\d[\d,]*) (?:employees|people|staff)",
        "Acme has 40 employees",
        "headcount",
    ),
    Pattern(
        "founding",
        r"(?:was|were) (?:founded|started|established|incorporated) (?:in|by) .+",
        "Acme was founded in 2019",
    ),
)
PROJECTS = (
    Pattern(
        "due",
        r"(?:am|was) (?:now )?(?:due|scheduled|planned|expected|set to (?:ship"
        r"|launch)) (?:to (?:ship|launch|start|go live) )?(?:on |in |by "
        r"|for )?(?P<o>.*\d.*)",
        "Apollo is due on 3 June",
        "deadline",
    ),
    Pattern(
        "shipping",
        r"(?:ship|launch|go live|start|release)(?: on| in)? .*\d.*|(?:has "
        r"|have )?(?:launched|shipped|went live|gone live|was cancelled|was canceled"
        r"|have been cancelled|was launched|was released)"
        r"(?: (?:on|in|last|this|yesterday)\b[^,]*)?$",
        "Beacon ships on 12 March",
    ),
    Pattern(
        "led",
        rf"am (?:led|owned|managed|maintained) by (?P<o>{NAME})",
        "Apollo is led by Dana Weiss",
        "owner",
    ),
    Pattern(
        "technology",
        r"(?:use|run on|am written in|am built with|am built on|have migrated to"
        r"|migrated to|migrate to|have switched to|switched to|switch to|depend on"
        r"|am deployed on|am hosted on) [A-Z][\w.+#-]*(?: [\w.+#-]+){0,4}$",
        "Apollo uses Postgres",
    ),
    Pattern(
        "moved over",
        r"(?:have moved|moved|move) to [A-Z][\w.+#-]*(?: [\w.+#-]+){0,4}$",
        "Project Apollo moved to Postgres",
    ),
)
