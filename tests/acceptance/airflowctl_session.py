"""Runs in the environment of `apache-airflow-ctl`: calls its commands in this process. Reads a line of JSON for each command from standard input,
a list of arguments, and prints a line: the exit code, standard output, standard error. The argument `commands` prints all commands instead.
"""

import contextlib
import io
import json
import sys


def list_commands(command, path):
    if hasattr(command, "subcommands"):
        for each in command.subcommands:
            yield from list_commands(each, f"{path} {each.name}".strip())
    else:
        yield path


def call(arguments):
    from airflowctl.__main__ import main

    out, err, code = io.StringIO(), io.StringIO(), 0
    sys.argv = ["airflowctl", *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except Exception as error:  # for some answers, airflowctl raises exceptions of its HTTP library
            code = f"{type(error).__name__}: {error}"
    return [code, out.getvalue(), err.getvalue()]


if sys.argv[1:] == ["commands"]:
    from airflowctl.ctl.cli_parser import ALL_COMMANDS_DICT

    print(
        json.dumps(sorted(path for name, command in ALL_COMMANDS_DICT.items() for path in list_commands(command, name)))
    )
else:
    for line in sys.stdin:
        print(json.dumps(call(json.loads(line))), flush=True)
