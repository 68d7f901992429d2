"""`gnomon plugins`: what the plugins folder and installed packages bring."""

from __future__ import annotations

import click

from gnomon.cli.answers import stored_answers
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import emit, output_option
from gnomon.loading.plugins import PluginRow
from gnomon.userhost import ask_now

_SURVEY = "gnomon.loading.plugins:survey"


@click.group()
def plugins() -> None:
    """Plugins: classes that derive from AirflowPlugin, in the plugins folder and in installed packages."""


@plugins.command("list")
@output_option
@pass_home
def list_(home: Home, output: str) -> None:
    """All plugins, what they bring, and why one cannot be loaded.

    They are imported in a process of their own. A timetable needs no plugin class: any class of a module in the plugins
    folder can be imported by DAG files.
    """
    rows: list[PluginRow] = ask_now(home.cfg, _SURVEY, list[PluginRow], imports=True, answers=stored_answers(home.cfg))
    emit(rows, output, ("name", "place", "brings", "error"), empty=f"no plugins; their files go to {home.cfg.plugins_folder}")
