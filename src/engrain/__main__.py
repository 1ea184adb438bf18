"""`python -m engrain`, the `engrain` command, and what hosts run for hooks."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Run the command line on this process's arguments and leave with its exit code; Ctrl-C at any
    moment, even while modules are loaded, is one line and code 130."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("engrain: interrupted\n")
        sys.exit(130)


def _run() -> None:
    if os.name != "posix":
        sys.exit("engrain: files and locks need Linux or macOS; on Windows, use WSL")
    arguments = sys.argv[1:]
    gc.disable()  # so short a process has nothing to collect
    if arguments[:1] == ["hook"] and not {"-h", "--help"}.intersection(arguments):
        # Inside every prompt: none of the command line's own modules is loaded for it.
        from engrain.adapters.hooks.main import run as run_hook

        run_hook(arguments[1:])
    if "--stdio" in arguments:
        # A host waits for its tools: none of them is loaded for these either.
        from engrain.adapters.cli.bridging import read_flags, serve_host

        flags = read_flags(arguments)
        if flags is not None:
            gc.enable()
            serve_host(flags)
            return
    from engrain.adapters.cli.main import run

    code = run(arguments)
    gc.freeze()  # else the interpreter looks through all objects once more when it leaves
    sys.exit(code)


if __name__ == "__main__":
    main()
