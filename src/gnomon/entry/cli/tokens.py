"""`gnomon tokens`: the API tokens of programs."""

from __future__ import annotations

import sys

import click

from gnomon.changes.operations import account_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.parameter_types import SpanType
from gnomon.model.accounts import Role

_ROLES = tuple(str(role) for role in Role if role is not Role.NONE)


@click.group()
def tokens() -> None:
    """API tokens of programs: create, list, revoke. A token is shown once; the database has a hash of it only."""


@tokens.command()
@click.argument("account")
@click.option("--name", required=True, help="What uses the token, for listings and the audit log.")
@click.option(
    "--role",
    type=click.Choice(_ROLES),
    default="viewer",
    show_default=True,
    help="The most that the token permits; never more than its account.",
)
@click.option(
    "--expires-in",
    type=SpanType(),
    default="90d",
    show_default=True,
    metavar="SPAN",
    help="How long it is valid: 12h, 90d.",
)
@click.option("--never-expires", is_flag=True, help="Valid until it is revoked.")
@pass_deployment
def create(
    deployment: DeploymentAccess, account: str, name: str, role: str, expires_in: float, never_expires: bool
) -> None:
    """Create a token of ACCOUNT and print it. Requests carry it in the header `Authorization: Bearer TOKEN`."""
    text = deployment.perform(operations.create_token, account, name, role, None if never_expires else expires_in)
    click.echo(text)
    if sys.stdout.isatty():
        click.echo("Keep the token: it cannot be shown again.", err=True)


@tokens.command("list")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, output: str) -> None:
    """List all tokens, without their secrets."""
    print_records(
        deployment.perform(operations.list_tokens),
        output,
        ("token", "account", "name", "role", "state", "expires_at", "used_at"),
        empty="no tokens",
    )


@tokens.command()
@click.argument("token")
@pass_deployment
def revoke(deployment: DeploymentAccess, token: str) -> None:
    """Revoke the token with the id TOKEN, which `gnomon tokens list` shows: requests with it are refused from now on."""
    revoked = deployment.perform(operations.revoke_token, token)
    click.echo(f"revoked token {revoked.token} ({revoked.name}) of account {revoked.account}")
