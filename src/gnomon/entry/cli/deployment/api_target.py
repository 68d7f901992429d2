"""Which deployment a command line names: `--api` and `--token` at the program or at the command, or the environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from gnomon.ground.config.environment import get_variable
from gnomon.model.errors.product import UserError

F = TypeVar("F", bound=Callable[..., Any])
API_VARIABLE = "GNOMON_API"
TOKEN_VARIABLE = "GNOMON_API_TOKEN"  # the name of a variable
_API = "gnomon.api"
_TOKEN = "gnomon.token"  # a key of the context


@dataclass(frozen=True, slots=True)
class ApiTarget:
    """The address of an API, and where it was named: for sentences."""

    url: str
    source: str


def api_options(command: F, *, hidden: bool) -> F:
    """Add `--api` and `--token` to a command, whose values `find_target` and `find_given_token` read."""
    command = click.option(
        "--token",
        "api_token",
        metavar="TOKEN",
        expose_value=False,
        hidden=hidden,
        callback=_remember_token,
        help=f"The token for --api; default: the variable {TOKEN_VARIABLE}, then that of `gnomon login`.",
    )(command)
    return click.option(
        "--api",
        "api_url",
        metavar="URL",
        expose_value=False,
        hidden=hidden,
        callback=_remember_api,
        help=f"Work on the deployment whose API has this address, instead of the home; default: the variable {API_VARIABLE}. An empty address is the home.",
    )(command)


def find_target(context: click.Context) -> ApiTarget | None:
    """The API that the command line or the environment names; None for the home. Raises UserError for `--token` without an API."""
    address = context.meta.get(_API)
    url = address if address is not None else get_variable(API_VARIABLE)
    if not url:
        if context.meta.get(_TOKEN) is not None:
            from gnomon.model.sentences import say  # loaded with the first refusal: `gnomon --help` has none

            raise UserError(say("token_lacks_api", name=API_VARIABLE))
        return None
    return ApiTarget(url, "--api" if address is not None else f"the variable {API_VARIABLE}")


def find_given_token(context: click.Context) -> tuple[str | None, str]:
    """The token of the command line or of the environment, and where it was found; (None, "") without one."""
    token = context.meta.get(_TOKEN)
    if token is not None:
        return token, "--token"
    token = get_variable(TOKEN_VARIABLE)
    return (token, f"the variable {TOKEN_VARIABLE}") if token else (None, "")


def find_login_address(context: click.Context, url: str | None) -> str:
    """The API to log in at: the one that the command names, else that of the command line or the environment. Raises UserError without one, for two, and for a token."""
    if context.meta.get(_TOKEN) is not None:
        from gnomon.model.sentences import say

        raise UserError(say("login_takes_no_token"))
    if url is not None:
        if context.meta.get(_API):
            from gnomon.model.sentences import say

            raise UserError(say("api_is_named_twice"))
        return url
    target = find_target(context)
    if target is None:
        from gnomon.model.sentences import say

        raise UserError(say("login_lacks_api", name=API_VARIABLE))
    return target.url


def require_home(context: click.Context, option: str = "") -> None:
    """Raise UserError when an API is named: the command, or this option of it, works on a home only."""
    target = find_target(context)
    if target is not None:
        from gnomon.model.sentences import say

        raise UserError(
            say(
                "command_needs_home",
                text=f"{context.command_path}{' ' if option else ''}{option}",
                url=target.url,
                source=target.source,
            )
        )


def refuse_api(context: click.Context, name: str) -> None:
    """Raise UserError when `--api` is given to a command that is about no deployment at all; a variable of the environment is not meant for it."""
    if context.meta.get(_API) or context.meta.get(_TOKEN) is not None:
        from gnomon.model.sentences import say

        raise UserError(say("command_needs_no_api", name=name))


def _remember_api(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[_API] = value.strip()


def _remember_token(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[_TOKEN] = value.strip()
