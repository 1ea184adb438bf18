"""`engrain device`: this device's key of the vault, and how a second device gets it."""

from __future__ import annotations

import os
import sys

from engrain.adapters.cli.options import Answer, Arguments, Command, read_text, resolve_from
from engrain.adapters.present.records import Data, describe_chains, fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.engine.history.verification import Attestation
from engrain.model.errors import ConfigError, ConflictError, NotFoundError, UsageError
from engrain.model.history.attestation import Key
from engrain.resolution.keys import Keys, find_keys, read_join_code, write_join_code


def _check(args: Arguments) -> None:
    if args.new_key and (args.code or args.replace):
        raise UsageError("--new-key takes no code and no --replace: there is no other key")
    if args.new_key and not args.yes:
        raise UsageError(
            "a new key accepts every entry's origin as recorded in the history, and every"
            " other device must join again",
            remedy="repeat it with --yes if the key is lost",
        )


def _show(memory: Memory, _: Arguments) -> Answer:
    found = memory.trust.survey()
    key = "has the vault's key" if found.has_key else "does not have the vault's key"
    lines = [f"this device, {style('title', found.device)}, {key}"]
    for chain in found.chains:
        share = f"{chain.attested} of {chain.links} changes attested"
        wrong = style("bad", f"; {clean_line(chain.wrong)}") if chain.wrong else ""
        lines.append(f"  {clean_line(chain.device)}: {share}{wrong}")
    left = ", ".join(f"{count} in {tier}" for tier, count in found.unattested.items())
    lines.append(f"active entries without proof of who wrote them: {left}")
    return _describe(found), lines


def _invite(memory: Memory, args: Arguments) -> int:
    if args.console.as_json:
        raise UsageError("a join code is a secret: it is not printed as JSON")
    if not args.yes and not sys.stdout.isatty():
        raise UsageError(
            "the join code is a secret, and standard output is not a terminal",
            remedy="add --yes to print it anyway",
        )
    secret = _keys(args).secret(memory.vault)
    if secret is None:
        raise NotFoundError(
            "this device has no key of this vault",
            remedy="the first change makes one; else run `engrain device invite` where it is",
        )
    args.console.write_error(
        "a secret: whoever has it can pass off what they write as yours. On the other device:"
    )
    args.console.write_error("  engrain device join -")
    args.console.write_lines([write_join_code(memory.vault, secret)])
    return 0


def _join(memory: Memory, args: Arguments) -> Answer:
    if args.new_key:
        return _join_anew(memory, args)
    code = read_text(args.code or "-")
    with args.console.progress("indexing") as progress:
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


def _join_anew(memory: Memory, args: Arguments) -> Answer:
    with args.console.progress("attesting") as progress:
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


COMMAND = Command(
    [_show, _invite, _join],
    """
<show|invite|join>  show: the state of the key; invite: print the join code; join: take over the key
code=CODE?  join: the code; - or nothing: from standard input
--yes       do not ask for confirmation
--replace   join: replace this device's key
--new-key   join: the key is lost; make a new one and sign the history again
$ engrain device show
$ engrain device invite
$ engrain device join -
$ engrain device join --new-key --yes
""",
    check=_check,
    strict=True,
)
