"""`engrain config`: show and set settings."""

from __future__ import annotations

import argparse
import os

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import (
    Command,
    resolve_harness_from,
)
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import (
    envelope,
)
from engrain.adapters.present.text import clean_line
from engrain.learn.forward.settings import check_learning
from engrain.lifecycle.policy import check_policy
from engrain.model.errors import UsageError
from engrain.resolution.config_file import set_value
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import KEYS, load_settings, user_config_file


def _config_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", nargs="?", choices=("get", "set", "unset", "path"), help="else all are shown"
    )
    parser.add_argument("key", nargs="?", metavar="KEY", help="the setting's name")
    parser.add_argument("value", nargs="?", metavar="VALUE", help="its new value")


def _config(args: argparse.Namespace, console: Console) -> int:
    flags = {name: getattr(args, name, None) for name in KEYS}
    wanted = {"get": 1, "set": 2, "unset": 1}.get(args.action or "", 0)
    given = [part for part in (args.key, args.value) if part is not None]
    if len(given) != wanted:
        raise UsageError(
            f"`config {args.action or ''}` takes {wanted} words behind it, not {len(given)}",
            remedy="see `engrain config --help`",
        )
    if args.key is not None and args.key not in KEYS:
        raise UsageError(f"no setting named {args.key!r}", remedy="use " + ", ".join(KEYS))
    data: dict[str, object]
    if args.action == "set" and args.key in ("vault", "state_dir"):
        args.value = absolute_location(args.value)
    if args.action == "set" and "." in args.key:
        known = load_settings(flags, os.environ, os.getcwd())
        values = {name: setting.value for name, setting in known.items()}
        values[args.key] = args.value
        check_policy(values)
        check_learning(values)
    if args.action in ("set", "unset"):
        data = {"key": args.key, "value": args.value}
        data["config"] = set_value(os.environ, args.key, args.value)
        lines = [f"{args.key} = {args.value or '(unset)'}, in {data['config']}"]
    elif args.action == "path":
        data = {"config": user_config_file(os.environ)}
        lines = [str(data["config"])]
    else:
        settings = load_settings(flags, os.environ, os.getcwd())
        shown = {name: settings[name] for name in ([args.key] if args.key else KEYS)}
        data = {
            name: {"value": setting.value, "origin": setting.origin, "meaning": KEYS[name].meaning}
            for name, setting in shown.items()
        }
        lines = [
            f"{name:<10} {clean_line(setting.value or '-'):<30} "
            f"{console.style('dim', setting.origin)}"
            for name, setting in shown.items()
        ]
        if not args.key and (found := resolve_harness_from(args)).fallback:
            lines.append(f"without a vault, working memory lies in {clean_line(found.location)}")
    if console.as_json:
        console.write_json(envelope("config", data))
    else:
        console.write_lines(lines)
    return EXIT_OK


COMMANDS = {
    "config": Command(
        _config_arguments,
        _config,
        "engrain config",
        "engrain config set vault ~/memory",
        "engrain config get backend --json",
    ),
}
