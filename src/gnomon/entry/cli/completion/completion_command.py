"""`gnomon completion`."""

from __future__ import annotations

from pathlib import Path

import click

from gnomon.entry.cli.commands import root
from gnomon.entry.cli.completion.completer import build_script
from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.option(
    "--install",
    is_flag=True,
    help="Write the script to the folder where the shell looks for completions, and print its path.",
)
def completion(shell: str, install: bool) -> None:
    """Print the script with which SHELL completes commands, options, and the ids of DAGs, runs, tasks, pools and Variables.

    Try it in one shell with `source <(gnomon completion bash)`; in fish with `gnomon completion fish | source`.
    """
    script = build_script(shell, root)
    if not install:
        click.echo(script)
        return
    path = _find_path(shell)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(
            say("completion_cannot_be_written", file=str(path), error=error.strerror, shell=shell)
        ) from None
    click.echo(path)
    hint = f"; ~/.zshrc needs, before compinit: fpath=({path.parent} $fpath)" if shell == "zsh" else ""
    click.echo(f"new shells complete gnomon{hint}", err=True)


def _find_path(shell: str) -> Path:
    """The file in which the shell looks for the completion of `gnomon`."""
    data = Path(get_variable("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    configuration = Path(get_variable("XDG_CONFIG_HOME") or Path.home() / ".config")
    return {
        "bash": data / "bash-completion" / "completions" / "gnomon",
        "zsh": data / "zsh" / "site-functions" / "_gnomon",
        "fish": configuration / "fish" / "completions" / "gnomon.fish",
    }[shell]
