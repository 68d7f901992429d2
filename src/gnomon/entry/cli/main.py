"""The entry point of the command line: every way a command can end becomes an exit code and at most one message on stderr.

Exit codes: 0, the command succeeded; 1, it failed and the message says why; 2, wrong usage; 130, Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

import click

from gnomon.entry.cli.commands import root
from gnomon.entry.cli.terminal.guarded_output import guard_terminals
from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.product import GnomonError, InternalError

INTERRUPTED = 130
"""The exit code that shells report for a process that Ctrl-C ended."""
COMPLETE = "_GNOMON_COMPLETE"
"""Environment variable: set by a shell that asks how a command line may go on."""
DEBUG = "GNOMON_DEBUG"
"""Environment variable: set to 1, an unexpected error is shown with its traceback."""


def main(args: Sequence[str] | None = None, obj: object = None) -> int:
    """Run one command line and return its exit code.

    `args`: the arguments without the program name; None takes those of this process. `obj`: the `Home` to work on.
    """
    guard_terminals()
    try:
        code = _run(args, obj)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _end_without_reader()
    except click.Abort as abort:
        if isinstance(abort.__cause__, KeyboardInterrupt):
            return INTERRUPTED
        return _fail("not confirmed; nothing was changed")
    except KeyboardInterrupt:
        return INTERRUPTED
    except click.exceptions.NoSuchCommand as error:
        from gnomon.entry.cli.unknown_commands import add_suggestion  # only for a wrong command

        add_suggestion(error).show()
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except InternalError as error:
        return _fail_unexpectedly(error)
    except GnomonError as error:
        return _fail(str(error))
    except UnicodeEncodeError as error:
        return _fail_for_bytes(args, error)
    except Exception as error:
        return _fail_unexpectedly(error)


def _run(args: Sequence[str] | None, obj: object) -> int:
    if get_variable(COMPLETE):
        from gnomon.entry.cli.completion.completer import register_completion  # only when a shell asks

        register_completion()
    try:
        result = root.main(args=args, prog_name="gnomon", standalone_mode=False, obj=obj)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    return result if isinstance(result, int) else 0


def _fail(message: str) -> int:
    from gnomon.entry.cli.output import escape_controls  # start-up cost: only for an error
    from gnomon.entry.cli.terminal.reader_language import put_into_words

    click.echo(f"gnomon: {put_into_words(escape_controls(message))}", err=True)
    return 1


def _fail_for_bytes(args: Sequence[str] | None, error: UnicodeEncodeError) -> int:
    """A word of the command is not UTF-8, which is found when it is stored or sent."""
    from gnomon.model.storable_text import escape_unstorable, find_unstorable  # only for such a word

    words = [word for word in (sys.argv[1:] if args is None else args) if find_unstorable(word) is not None]
    return (
        _fail(f"the word {escape_unstorable(words[0])!r} is not UTF-8, and cannot be stored; nothing was changed")
        if words
        else _fail_unexpectedly(error)
    )


def _fail_unexpectedly(error: Exception) -> int:
    if get_variable(DEBUG) not in (None, "", "0"):
        traceback.print_exception(error)
        return 1
    return _fail(
        f"unexpected {type(error).__name__}: {error}\n"
        f"This is an error in Gnomon or in its environment. Set {DEBUG}=1 to see the traceback."
    )


def _end_without_reader() -> int:
    """The reader of stdout closed the pipe (`| head`): write nothing more, also not at interpreter exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
