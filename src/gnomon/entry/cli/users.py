"""`gnomon users`: the accounts of people and programs that use the API, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass

import click

from gnomon.changes.operations import account_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import KEY_MAX, IntegerRange
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.secret_input import read_secret
from gnomon.model.accounts import ROLE_NAMES, GrantKind, Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import iso
from gnomon.model.sentences import Command, say
from gnomon.queries.accounts import account_changes
from gnomon.queries.accounts.sessions import SessionRules, list_open_sessions, revoke_sessions

_GRANT_ROLES = tuple(str(role) for role in Role if Role.NONE < role < Role.ADMIN)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session of a browser as listings print it."""

    id: int
    address: str
    """From where the login came."""
    created_at: str | None
    used_at: str | None
    """The last use, to the minute."""


@click.group()
def users() -> None:
    """Accounts of the API and the page: list, create, change, delete.

    A role includes the ones before it: viewer reads; user triggers, clears, marks and pauses; operator changes connections, Variables and
    pools; admin changes accounts. An account with the role none may do only what `grant` permits on single DAGs.
    """


@users.command("list")
@output_option
@pass_deployment
def list_(deployment: DeploymentAccess, output: str) -> None:
    """List all accounts."""
    rows = deployment.perform(operations.list_accounts)
    print_records(
        rows,
        output,
        ("name", "role", "grants", "has_password", "created_at"),
        empty="no accounts; `gnomon users create NAME --role admin` creates one",
    )


@users.command()
@click.argument("name")
@click.option("--role", type=click.Choice(ROLE_NAMES), required=True, help="What the account may do.")
@click.option(
    "--password", help="The password. Without this option it is asked for on a terminal, or read from standard input."
)
@click.option("--no-password", is_flag=True, help="An account for API tokens only.")
@pass_deployment
def create(deployment: DeploymentAccess, name: str, role: str, password: str | None, no_password: bool) -> None:
    """Create the account NAME."""
    if no_password and password is not None:
        raise UserError(say("password_is_given_twice"))
    chosen_password = None if no_password else _read_password(password)
    account = deployment.perform(operations.create_account, name, role, chosen_password)
    click.echo(f"created account {account.name} with the role {account.role}")


@users.command("set-role")
@click.argument("name")
@click.argument("role", type=click.Choice(ROLE_NAMES))
@pass_deployment
def set_role(deployment: DeploymentAccess, name: str, role: str) -> None:
    """Give the account NAME another role."""
    account = deployment.perform(operations.set_role, name, role)
    click.echo(f"account {account.name} has the role {account.role}")


@users.command("reset-password")
@click.argument("name")
@click.option(
    "--password", help="The password. Without this option it is asked for on a terminal, or read from standard input."
)
@pass_deployment
def reset_password(deployment: DeploymentAccess, name: str, password: str | None) -> None:
    """Give the account NAME another password, and end its sessions. Its API tokens stay: `gnomon tokens revoke` ends them."""
    chosen_password = _read_password(password)
    deployment.perform(operations.reset_password, name, chosen_password)
    click.echo(f"account {name} has a new password; its sessions have ended")


@users.command()
@click.argument("name")
@pass_deployment
def delete(deployment: DeploymentAccess, name: str) -> None:
    """Delete the account NAME with its sessions and tokens."""
    deployment.perform(operations.delete_account, name)
    click.echo(f"deleted account {name}")


@users.command()
@click.argument("name")
@click.option("--revoke", is_flag=True, help="End them: the browsers must log in again.")
@click.option("--id", "session_pk", type=IntegerRange(1, KEY_MAX), help="Only the session with this id.")
@output_option
@pass_home
def sessions(home: Home, name: str, revoke: bool, session_pk: int | None, output: str) -> None:
    """List the browsers that are logged in as NAME, or end their sessions. API tokens stay: `gnomon tokens revoke` ends them."""
    rules = SessionRules(60.0 * home.cfg.number("api", "session_idle_minutes"))
    with home.store() as db:
        with db.read() as tx:
            account = account_changes.get_account(tx, name)
            open_sessions = [
                session
                for session in list_open_sessions(tx, account, home.clock.now(), rules)
                if session_pk in (None, session.session_pk)
            ]
        if session_pk is not None and not open_sessions:
            raise UserError(
                say(
                    "account_has_no_session",
                    name=account.name,
                    number=session_pk,
                    command=Command("users sessions", (account.name,)),
                )
            )
        if revoke:
            with db.write() as tx:
                count = revoke_sessions(tx, home.author, account, session_pk)
            if output not in ("json", "yaml"):
                click.echo(f"ended {count} session{'' if count == 1 else 's'} of account {account.name}")
                return
    rows = [
        SessionRow(session.session_pk, session.address, iso(session.created_at), iso(session.used_at))
        for session in open_sessions
    ]
    print_records(
        rows, output, ("id", "address", "created_at", "used_at"), empty=f"account {account.name} has no sessions"
    )


@users.command()
@click.argument("name")
@click.option("--dag", metavar="PATTERN", help="DAGs by id; * and ? stand for any characters and for one.")
@click.option("--tag", metavar="PATTERN", help="DAGs that have a tag.")
@click.option("--role", type=click.Choice(_GRANT_ROLES), required=True, help="What the account may do on these DAGs.")
@pass_deployment
def grant(deployment: DeploymentAccess, name: str, dag: str | None, tag: str | None, role: str) -> None:
    """Give the account NAME a role on single DAGs. Grants only add: the account's own role counts for all DAGs."""
    kind, pattern = _read_pattern(dag, tag)
    deployment.perform(operations.add_grant, name, kind.value, pattern, role)
    click.echo(f"account {name} has the role {role} on {kind} {pattern}")


@users.command()
@click.argument("name")
@click.option("--dag", metavar="PATTERN", help="The pattern of the grant, as it was given.")
@click.option("--tag", metavar="PATTERN", help="The pattern of the grant, as it was given.")
@pass_deployment
def revoke(deployment: DeploymentAccess, name: str, dag: str | None, tag: str | None) -> None:
    """Take a grant from the account NAME."""
    kind, pattern = _read_pattern(dag, tag)
    deployment.perform(operations.remove_grant, name, kind.value, pattern)
    click.echo(f"account {name} has no role of its own on {kind} {pattern} any more")


def _read_pattern(dag: str | None, tag: str | None) -> tuple[GrantKind, str]:
    if (dag is None) == (tag is None):
        raise UserError(say("dag_excludes_tag"))
    return (GrantKind.DAG, dag) if dag is not None else (GrantKind.TAG, tag or "")


def _read_password(password_option: str | None) -> str:
    return read_secret("Password", is_new=True) if password_option is None else password_option
