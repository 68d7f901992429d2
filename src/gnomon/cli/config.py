"""`gnomon config`: the options, their values and their sources."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.config import Setting, UnknownOptionError


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option as `config list` prints it."""

    option: str
    """`section.name`"""
    value: str
    source: str
    description: str


@click.group()
def config() -> None:
    """Show options. They are set in gnomon.toml, GNOMON__SECTION__KEY or AIRFLOW__SECTION__KEY."""


@config.command("list")
@click.option("--section", help="Only the options of this section.")
@click.option("--show-values", is_flag=True, help="Show secrets and passwords in plain text.")
@output_option
@pass_home
def list_(home: Home, section: str | None, show_values: bool, output: str) -> None:
    """List every option, its value and its source; secrets are hidden."""
    settings = [s for s in home.cfg.settings() if section is None or s.option.section == section.lower()]
    if not settings:
        sections = sorted({s.option.section for s in home.cfg.settings()})
        raise UnknownOptionError(f"there is no section {section!r}; the sections are {', '.join(sections)}")
    rows = [_row(home, setting, show_values) for setting in settings]
    print_records(rows, output, ("option", "value", "source"))


@config.command("get-value")
@click.argument("section")
@click.argument("option")
@pass_home
def get_value(home: Home, section: str, option: str) -> None:
    """Print the value of one option."""
    click.echo(home.cfg.get(section, option))


def _row(home: Home, setting: Setting, show_values: bool) -> OptionRow:
    option = setting.option
    value = home.cfg.text(*option.key) if show_values else setting.shown
    return OptionRow(f"{option.section}.{option.name}", value, setting.source, option.description)
