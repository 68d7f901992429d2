"""Says that a request to the owner of a DAG is not carried out yet."""

from __future__ import annotations

import click

from gnomon.changes.actions import owner_requests
from gnomon.changes.actions.owner_requests import OwnerAnswer, OwnersAnswer


def print_pending(reply: OwnerAnswer | OwnersAnswer) -> None:
    """Write to stderr when a request that is not answered yet will be carried out."""
    when = (
        f"not done within {owner_requests.ANSWER_S:g} s; the scheduler will still apply it"
        if reply.is_scheduler_alive
        else ("no scheduler is alive; it will be applied when one starts")
    )
    click.echo(f"accepted as request {reply.request_pk}: {when}", err=True)
