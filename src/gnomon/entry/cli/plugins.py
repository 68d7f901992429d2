"""`gnomon plugins`: the plugins of the plugins folder and of installed packages."""

from __future__ import annotations

import click

from gnomon.author_code.loading.plugins import PluginRow
from gnomon.author_code.timetable_host import ask_and_wait
from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.output import output_option, print_records

_SURVEY = "gnomon.author_code.loading.plugins:list_plugins"


@click.group()
def plugins() -> None:
    """Plugins: classes that derive from AirflowPlugin, in the plugins folder and in installed packages."""


@plugins.command("list")
@output_option
@pass_home
def list_(home: Home, output: str) -> None:
    """List all plugins, what each provides, and why one cannot be loaded.

    The plugins are imported in a process of their own. A timetable needs no plugin class: DAG files can import any class of a
    module in the plugins folder.
    """
    rows: list[PluginRow] = ask_and_wait(
        home.cfg, _SURVEY, list[PluginRow], imports=True, answers=make_question_handler(home.cfg)
    )
    print_records(
        rows,
        output,
        ("name", "place", "brings", "error"),
        empty=f"no plugins; put their files into {home.cfg.plugins_folder}",
    )
