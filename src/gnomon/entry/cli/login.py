"""`gnomon login` and `gnomon logout`: a token for the API of a deployment, stored for this user of this machine."""

from __future__ import annotations

import base64
import functools
import json
import sys
import time

import click
import msgspec

from gnomon.entry.cli.deployment.api_client import ApiClient, check_address
from gnomon.entry.cli.deployment.api_errors import ApiLoginRequired, ApiRefusal
from gnomon.entry.cli.deployment.api_target import api_options, find_login_address
from gnomon.entry.cli.deployment.login_file import StoredLogin, find_login_file, list_logins, remove_login, store_login
from gnomon.entry.cli.secret_input import read_secret
from gnomon.entry.cli.terminal.local_times import format_moment
from gnomon.entry.cli.terminal.screen import read_screen
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND
from gnomon.model.sentences import say

_TOKEN_PATH = "/auth/token"  # the path of an operation


class _GivenToken(msgspec.Struct):
    """The answer to a login."""

    access_token: str


@click.command()
@click.argument("url", metavar="[URL]", required=False)
@click.option("-u", "--user", "name", help="The name of the account; default: asked for on a terminal.")
@functools.partial(api_options, hidden=True)
@click.pass_context
def login(context: click.Context, url: str | None, name: str | None) -> None:
    """Log in at the API at URL, by default that of --api or GNOMON_API, and store a token for it in a file that only you can read.

    Without a terminal the password is read from standard input. The token is used wherever --api or GNOMON_API names this URL; it
    expires, by default after a day. A program needs none of this: give it an API token with --token or GNOMON_API_TOKEN.
    """
    address = check_address(find_login_address(context, url))
    if name is None:
        if not sys.stdin.isatty():
            raise UserError(say("account_is_not_named"))
        name = str(click.prompt("Name", err=True))
    if address.startswith("http://") and not _is_this_machine(address):
        click.echo(
            f"gnomon: warning: {address} has no TLS: the password and the token can be read on the way; use an https:// address",
            err=True,
        )
    token = _ask_token(address, name, read_secret("Password"))
    path = store_login(address, StoredLogin(name, token))
    click.echo(f"logged in at {address} as {name}{_describe_end(token)}; the token is in {path}")


@click.command()
@click.argument("url", metavar="[URL]", required=False)
def logout(url: str | None) -> None:
    """Forget the token of the login at URL, or all of them. The token itself stays valid until it expires."""
    addresses = list_logins() if url is None else [check_address(url)]
    removed = [address for address in addresses if remove_login(address)]
    if not removed:
        raise UserError(
            say("login_does_not_exist", url=url)
            if url is not None
            else say("no_login_is_stored", file=str(find_login_file()))
        )
    for address in removed:
        click.echo(f"logged out at {address}")


def _ask_token(address: str, name: str, password: str) -> str:
    client = ApiClient(address, None, "", time.sleep)
    try:
        answer: _GivenToken = client.post(_TOKEN_PATH, {"username": name, "password": password}, _GivenToken)
    except ApiLoginRequired:
        raise UserError(say("login_is_refused", url=address)) from None
    except ApiRefusal as error:
        if "auth] auth is none" in str(error) or "api] auth is none" in str(error):
            raise UserError(say("api_needs_no_login", url=address, error=str(error))) from None
        raise
    return answer.access_token


def _is_this_machine(address: str) -> bool:
    host = address.removeprefix("http://").partition("/")[0]
    return host.startswith(("127.", "localhost", "[::1]"))


def _describe_end(token: str) -> str:
    """Until when the token is valid, as it says itself; empty when it does not."""
    try:
        body = token.split(".")[1]
        expires_at = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))["exp"]
    except (IndexError, KeyError, ValueError, TypeError):
        return ""
    return f" until {format_moment(int(expires_at) * SECOND, read_screen())}"
