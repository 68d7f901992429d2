"""`gnomon services`: the registered processes."""

from __future__ import annotations

import click

from gnomon.changes.operations import service_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_records

_COLUMNS = ("service", "host", "version", "alive", "beat_at", "groups", "slots", "queues", "used_by", "id")


@click.command()
@output_option
@pass_deployment
def services(deployment: DeploymentAccess, output: str) -> None:
    """List the registered processes of the services: host, version, last heartbeat.

    A scheduler has groups of DAGs, of 64; a worker has slots, and with Celery queues, and `used_by` names the hosts of the schedulers that send tasks to it.
    """
    rows = deployment.perform(operations.list_services)
    print_records(rows, output, _COLUMNS, empty="no service is registered; start all with: gnomon standalone")
