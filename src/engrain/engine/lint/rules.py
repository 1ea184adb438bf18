"""The rules of lint, in the order in which they are looked at."""

from __future__ import annotations

from collections.abc import Mapping

from engrain.engine.lint import fields, files, filing, links
from engrain.engine.lint.flaw import Rule

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(files.UNREADABLE, whole=files.find_unreadable),
        Rule(files.COPY, whole=files.find_copies),
        Rule(fields.MISSING, each=fields.find_missing),
        Rule(fields.FIELD, each=fields.find_wrong),
        Rule(fields.KIND, each=fields.find_unknown_kind),
        Rule(fields.RELATION, each=fields.find_unknown_relation),
        Rule(filing.FOLDER, each=filing.find_misfiled),
        Rule(links.BROKEN_LINK, whole=links.find_broken),
        Rule(links.ONE_SIDED, whole=links.find_one_sided),
        Rule(files.GENERATED, whole=files.find_stale),
    )
}
