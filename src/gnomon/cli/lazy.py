"""A group of commands that imports a command's module only when that command is named."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import click


class Lazy(NamedTuple):
    """Where a command is defined (`module:attribute`) and the line that help shows for it."""

    place: str
    help: str


class LazyGroup(click.Group):
    """A group whose help lists its commands from a table, without importing any of them."""

    def __init__(self, *args: Any, lazy: Mapping[str, Lazy], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lazy = dict(lazy)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, its module imported now."""
        if cmd_name not in self._lazy:
            return None
        module, _, attribute = self._lazy[cmd_name].place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's, with nearest names from the table."""
        if args and args[0] not in self._lazy and not args[0].startswith("-"):
            raise click.exceptions.NoSuchCommand(args[0], possibilities=self._lazy, ctx=ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in self._lazy.items()])
