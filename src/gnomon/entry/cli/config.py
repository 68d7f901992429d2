"""`gnomon config`: the options, their values, their sources, and whether they act."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_records
from gnomon.ground.config import Setting, UnknownOptionError
from gnomon.ground.config.alert_rules import read_alert_settings
from gnomon.ground.config.options import find_option
from gnomon.model.sentences import say


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option as `config list` prints it."""

    option: str
    """`section.name`"""
    value: str
    source: str
    acts: str
    """`yes`, or `no:` and the reason."""
    description: str


@dataclass(frozen=True, slots=True)
class OptionProblem:
    """An option that is set and does not act, or that Gnomon does not know."""

    option: str
    source: str
    problem: str


@click.group()
def config() -> None:
    """Show options. They are set in gnomon.toml, GNOMON__SECTION__KEY or AIRFLOW__SECTION__KEY."""


@config.command("list")
@click.option("--section", help="Only the options of this section.")
@click.option("--show-values", is_flag=True, help="Show secrets and passwords in plain text.")
@output_option
@pass_home
def list_(home: Home, section: str | None, show_values: bool, output: str) -> None:
    """List every option, its value, its source, and whether it acts; secrets are hidden."""
    settings = [s for s in home.cfg.settings() if section is None or s.option.section == section.lower()]
    if not settings:
        sections = sorted({s.option.section for s in home.cfg.settings()})
        raise UnknownOptionError(say("section_does_not_exist", name=section, names=", ".join(sections)))
    rows = [_row(home, setting, show_values) for setting in settings]
    print_records(rows, output, ("option", "value", "source", "acts"))
    for undeclared in home.cfg.undeclared_options():
        click.echo(f"{undeclared.source} does not act. {undeclared.reason}", err=True)


@config.command("get-value")
@click.argument("section")
@click.argument("option")
@pass_home
def get_value(home: Home, section: str, option: str) -> None:
    """Print the value of one option; a note on standard error says why an option does not act."""
    click.echo(home.cfg.get(section, option))
    declared = find_option(section, option)
    if declared is not None and not declared.is_used:
        click.echo(f"{declared.key} does not act. {declared.description}", err=True)


@config.command()
@output_option
@pass_home
def lint(home: Home, output: str) -> int:
    """List the options that are set and do not act, and those that Gnomon does not know; exit code 1 when there are any.

    A wrong option, and a wrong rule or channel of alerts, is an error with its line.
    """
    problems = [
        OptionProblem(str(setting.option.key), setting.source, f"it does not act. {setting.option.description}")
        for setting in home.cfg.settings_without_effect()
    ]
    problems += [
        OptionProblem(undeclared.option, undeclared.source, undeclared.reason)
        for undeclared in home.cfg.undeclared_options()
    ]
    read_alert_settings(home.cfg.home)
    print_records(problems, output, ("option", "source", "problem"), empty="every option that is set acts")
    return 1 if problems else 0


def _row(home: Home, setting: Setting, show_values: bool) -> OptionRow:
    option = setting.option
    value = home.cfg.text(*option.key) if show_values else setting.shown
    acts = "yes" if option.is_used else f"no: {option.description}"
    return OptionRow(f"{option.section}.{option.name}", value, setting.source, acts, option.description)
