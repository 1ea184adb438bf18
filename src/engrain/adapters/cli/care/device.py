"""`engrain device`: this device's key of the vault, and how a second device gets it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from, read_text, resolve_from
from engrain.adapters.present.records import Data, describe_chains, fields
from engrain.adapters.present.text import Style, clean_line
from engrain.engine.history.verification import Attestation
from engrain.model.errors import ConfigError, ConflictError, NotFoundError, UsageError
from engrain.model.history.attestation import Key
from engrain.resolution.keys import Keys, find_keys, read_join_code, write_join_code


def _check(args: Arguments) -> None:
    if args.action != "join" and (args.code or args.replace or args.new_key):
        raise UsageError(f"`device {args.action}` takes no code, --replace or --new-key")
    if args.new_key and (args.code or args.replace):
        raise UsageError("--new-key takes no code and no --replace: there is no other key")
    if args.new_key and not args.yes:
        raise UsageError(
            "a new key accepts every entry's origin as recorded in the history, and every"
            " other device must join again",
            remedy="repeat it with --yes if the key is lost",
        )


def _show(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory:
        found = memory.trust.survey()
    return _describe(found), _lines(found, console.style)


def _invite(args: Arguments, console: Console) -> int:
    if console.as_json:
        raise UsageError("a join code is a secret: it is not printed as JSON")
    if not args.yes and not sys.stdout.isatty():
        raise UsageError(
            "the join code is a secret, and standard output is not a terminal",
            remedy="add --yes to print it anyway",
        )
    with open_from(args) as memory:
        vault = memory.vault
    secret = _keys(args).secret(vault)
    if secret is None:
        raise NotFoundError(
            "this device has no key of this vault",
            remedy="the first change makes one; else run `engrain device invite` where it is",
        )
    console.write_error(
        "a secret: whoever has it can pass off what they write as yours. On the other device:"
    )
    console.write_error("  engrain device join -")
    console.write_lines([write_join_code(vault, secret)])
    return 0


def _join(args: Arguments, console: Console) -> Answer:
    if args.new_key:
        return _join_anew(args, console)
    code = read_text(args.code or "-", console)
    with open_from(args) as memory, console.progress("indexing") as progress:
        secret = read_join_code(code, memory.vault)
        known = memory.trust.recognise_key(Key(secret).holds)
        if known is None:
            raise NotFoundError(
                "no record in the history is signed yet, so the key can't be checked",
                remedy="wait until the vault has synchronised, and repeat",
            )
        if not known:
            raise ConflictError(
                "no record of this vault was made with that key",
                remedy="run `engrain device invite` again where the vault is written",
            )
        _keys(args).put(memory.vault, secret, replace=args.replace)
        memory.reindex(progress)
        found = memory.trust.survey()
    return _describe(found), ["joined: what this device writes is attested from now on"]


def _join_anew(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory, console.progress("attesting") as progress:
        _keys(args).make(memory.vault)
        count = memory.trust.attest_again(progress)
        found = memory.trust.survey()
    return {**_describe(found), "attested_anew": count}, [
        f"a new key; {count} entries attested anew",
        "next: `engrain device invite` here, `engrain device join --replace` elsewhere",
    ]


def _keys(args: Arguments) -> Keys:
    keys = find_keys(os.environ, resolve_from(args).location)
    if keys is None:
        raise ConfigError(
            "the user's configuration is inside the vault: the key would be synchronised",
            remedy="set ENGRAIN_CONFIG to a file outside the vault",
        )
    return keys


def _describe(found: Attestation) -> Data:
    chains = describe_chains(found.chains)
    return {**fields(found, "device key=has_key"), **chains, "unattested": found.unattested}


def _lines(found: Attestation, style: Style) -> Iterator[str]:
    key = "has the vault's key" if found.has_key else "does not have the vault's key"
    yield f"this device, {style('title', found.device)}, {key}"
    for chain in found.chains:
        share = f"{chain.attested} of {chain.links} changes attested"
        wrong = style("bad", f"; {clean_line(chain.wrong)}") if chain.wrong else ""
        yield f"  {clean_line(chain.device)}: {share}{wrong}"
    left = ", ".join(f"{count} in {tier}" for tier, count in found.unattested.items())
    yield f"active entries without proof of who wrote them: {left}"


COMMAND = Command(
    [_show, _invite, _join],
    """
<show|invite|join>  show: the state of the key; invite: print the join code; join: take over the key
code=CODE?  of join; - or nothing: from standard input
--yes       do not ask for confirmation
--replace   join: replace this device's key
--new-key   join: the key is lost; make a new one and sign the history again
$ engrain device show
$ engrain device invite
$ engrain device join -
$ engrain device join --new-key --yes
""",
    check=_check,
)
