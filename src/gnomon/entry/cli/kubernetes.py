"""`gnomon kubernetes`: what runs in the pods of the KubernetesExecutor."""

from __future__ import annotations

from pathlib import Path

import click

from gnomon.entry.app import services
from gnomon.entry.cli.deployment.home import Home, pass_home


@click.group()
def kubernetes() -> None:
    """Run what pods of the KubernetesExecutor run."""


@kubernetes.command()
@click.argument("attempt")
@click.option(
    "--token-file",
    required=True,
    type=click.Path(path_type=Path),
    help="The file with the token that allows to claim the attempt.",
)
@pass_home
def worker(home: Home, attempt: str, token_file: Path) -> int:
    """Run one attempt of a task and end; the KubernetesExecutor starts this command in each pod.

    ATTEMPT is the id of the attempt. The pod needs the api-server ([core] execution_api_server_url) and the DAG files, and neither the
    database nor its key. The exit code is 0 when the attempt ended without a failure.
    """
    return services.serve_pod_worker(home.cfg, attempt, token_file)
