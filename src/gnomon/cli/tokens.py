"""`gnomon tokens`: the API tokens of programs."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import click

from gnomon.accounts import api_tokens
from gnomon.accounts.account_changes import get_account
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_records
from gnomon.cli.parameter_types import SpanType
from gnomon.model.accounts import ApiToken, Role, parse_role
from gnomon.model.instants import Instant, iso
from gnomon.store.accounts import token_rows

_ROLES = tuple(str(role) for role in Role if role is not Role.NONE)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token as listings print it."""

    token: str
    """Its id, which is no secret."""
    account: str
    name: str
    role: str
    state: str
    """`valid`, `expired` or `revoked`."""
    created_at: str | None
    expires_at: str | None
    used_at: str | None
    revoked_at: str | None


@click.group()
def tokens() -> None:
    """API tokens of programs: create, list, revoke. A token is shown once; the database has a hash of it only."""


@tokens.command()
@click.argument("account")
@click.option("--name", required=True, help="What uses the token, for listings and the audit log.")
@click.option("--role", type=click.Choice(_ROLES), default="viewer", show_default=True, help="The most that the token permits; never more than its account.")
@click.option("--expires-in", type=SpanType(), default="90d", show_default=True, metavar="SPAN", help="How long it is valid: 12h, 90d.")
@click.option("--never-expires", is_flag=True, help="Valid until it is revoked.")
@pass_home
def create(home: Home, account: str, name: str, role: str, expires_in: float, never_expires: bool) -> None:
    """Create a token of ACCOUNT and print it. Requests carry it in the header `Authorization: Bearer TOKEN`."""
    with home.store() as db, db.write() as tx:
        owner = get_account(tx, account)
        text = api_tokens.create_token(tx, home.author, owner, name, parse_role(role), None if never_expires else expires_in)
    click.echo(text)
    if sys.stdout.isatty():
        click.echo("Keep the token: it cannot be shown again.", err=True)


@tokens.command("list")
@output_option
@pass_home
def list_(home: Home, output: str) -> None:
    """List all tokens, without their secrets."""
    now = home.clock.now()
    with home.store() as db, db.read() as tx:
        rows = [_row(token, now) for token in token_rows.list_tokens(tx)]
    print_records(rows, output, ("token", "account", "name", "role", "state", "expires_at", "used_at"), empty="no tokens")


@tokens.command()
@click.argument("token")
@pass_home
def revoke(home: Home, token: str) -> None:
    """Revoke the token with the id TOKEN, which `gnomon tokens list` shows: requests with it are refused from now on."""
    with home.store() as db, db.write() as tx:
        revoked = api_tokens.revoke_token(tx, home.author, token)
    click.echo(f"revoked token {revoked.uid} ({revoked.name}) of account {revoked.account_name}")



def _row(token: ApiToken, now: Instant) -> TokenRow:
    state = "revoked" if token.revoked_at is not None else "valid" if token.is_valid(now) else "expired"
    return TokenRow(
        token.uid, token.account_name, token.name, str(token.role), state, iso(token.created_at), iso(token.expires_at), iso(token.used_at), iso(token.revoked_at),
    )  # fmt: skip
