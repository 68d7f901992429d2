"""Writes the generated pages of the reference: `python docs/generate.py`. `docs/check.py` compares them."""

from __future__ import annotations

import functools
import itertools
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from gnomon.cli.commands import root
from gnomon.config import OPTIONS, ConfigOption
from gnomon.config.accepted_options import NO_EFFECT

DOCS = Path(__file__).parent


def options_page() -> str:
    """reference/options.md, from the table of options."""
    parts = [
        "# Options\n\n"
        "Set an option as `GNOMON__SECTION__NAME` in the environment, or in its section of `gnomon.toml`; see\n"
        "[how to set options](../how-to/set-options.md). `{home}` is Gnomon's home. Names in brackets are older ones, still accepted.\n"
    ]
    used = sorted((option for option in OPTIONS if option.is_used), key=lambda option: option.section)
    for section, options in itertools.groupby(used, key=lambda option: option.section):
        parts.append(f"\n## [{section}]\n\n| option | default | meaning |\n|---|---|---|\n")
        parts += [_option_row(option) for option in options]
    parts.append(
        "\n## Accepted, without effect\n\nKnown so that files and environments made for Airflow are not refused; DAG files that ask for "
        "them are given Airflow's defaults.\n\n"
    )
    others = sorted((option for option in OPTIONS if not option.is_used), key=lambda option: option.section)
    for section, options in itertools.groupby(others, key=lambda option: option.section):
        parts.append(f"- `[{section}]` {', '.join(f'`{option.name}`' for option in options)}\n")
    reasons = [option for option in others if option.description != NO_EFFECT]
    parts.append("\nWhy some of them have none:\n\n| option | reason |\n|---|---|\n")
    parts += [f"| `[{option.section}] {option.name}` | {option.description} |\n" for option in reasons]
    return "".join(parts)


def _option_row(option: ConfigOption) -> str:
    old = ", ".join(f"[{alias.section}] {alias.name}" for alias in option.aliases)
    name = f"`{option.name}`" + (f" ({old})" if old else "")
    default = f"`{option.default}`" if option.default else "(empty)"
    meaning = option.description + (f" One of {', '.join(option.choices)}." if len(option.choices) > 1 else "")
    return f"| {name} | {default} | {meaning} |\n"


def commands_page() -> str:
    """reference/cli.md, from the commands themselves."""
    intro = (
        "# Commands\n\nExit code 0: what was asked was done. 1: it was not, and the message on standard error says why. 2: wrong usage.\n"
        "With `-o json` or `-o yaml` standard output carries the document and nothing else.\n"
    )
    return intro + "".join(_command(root, click.Context(root, info_name="gnomon", help_option_names=["-h", "--help"])))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    if context.parent is not None and not isinstance(command, click.Group):
        yield f"\n## {context.command_path}\n\n```text\n{_help(command, context)}\n```\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _command(child, click.Context(child, info_name=name, parent=context))


def _help(command: click.Command, context: click.Context) -> str:
    formatter = click.HelpFormatter(width=100)
    command.format_help(context, formatter)
    return formatter.getvalue().rstrip()


def lines_of(dag_id: str) -> str:
    """A picture of how-to/preview-dependencies.md, as `gnomon dependencies preview` draws it of the page's own DAG file."""
    page = (DOCS / "how-to/preview-dependencies.md").read_text()
    (code,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as home:
        file = Path(home) / "reports.py"
        file.write_text(code)
        words = ["dependencies", "preview", str(file), "--dag-id", dag_id, "--day", "2026-03-03", "-o", "svg"]
        done = subprocess.run(
            [sys.executable, "-m", "gnomon", *words], capture_output=True, text=True, check=True, env={**os.environ, "GNOMON_HOME": home},
        )
    return done.stdout


PAGES: dict[str, Callable[[], str]] = {
    "reference/options.md": options_page,
    "reference/cli.md": commands_page,
    "how-to/pictures/hourly-on-discrete-hours.svg": functools.partial(lines_of, "hourly_report"),
    "how-to/pictures/daily-on-hourly.svg": functools.partial(lines_of, "daily_report"),
}


def main() -> None:
    """The pages are written."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())


if __name__ == "__main__":
    main()
