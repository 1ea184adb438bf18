"""The rules of lint, in the order in which they are looked at."""

from __future__ import annotations

from engrain.engine.lint import fields, files, filing, links
from engrain.engine.lint.flaw import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule(files.UNREADABLE, "files that can't be read as entries", whole=files.find_unreadable),
        Rule(files.COPY, "files whose id another file has", whole=files.find_copies),
        Rule(
            fields.MISSING,
            "Engrain's own notes without id, kind or date",
            mends=True,
            each=fields.find_missing,
        ),
        Rule(
            fields.FIELD,
            "fields of a wrong type, dates that can't be read, tags that are no list",
            mends=True,
            each=fields.find_wrong,
        ),
        Rule(
            fields.KIND,
            "kinds that the table does not have",
            mends=True,
            each=fields.find_unknown_kind,
        ),
        Rule(
            fields.RELATION,
            "relations that are none of the seven",
            mends=True,
            each=fields.find_unknown_relation,
        ),
        Rule(
            filing.FOLDER,
            "notes in Memory/ outside their kind's folder",
            mends=True,
            each=filing.find_misfiled,
        ),
        Rule(
            links.BROKEN_LINK,
            "links to notes that are not there",
            mends=True,
            whole=links.find_broken,
        ),
        Rule(
            links.ONE_SIDED,
            "links whose inverse the other end lacks",
            mends=True,
            whole=links.find_one_sided,
        ),
        Rule(
            files.GENERATED,
            "generated files that are out of step with their sources",
            mends=True,
            whole=files.find_stale,
        ),
    )
}
