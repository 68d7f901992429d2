"""`gnomon celery`: workers that take attempts from a message broker, and Flower, which shows the broker."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

import click

from gnomon.entry.app import services
from gnomon.entry.cli.deployment.home import Home, pass_home
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.ground.config import environment
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say


@click.group()
def celery() -> None:
    """Run workers of the CeleryExecutor, and Flower beside their broker."""


@celery.command()
@click.option(
    "-q", "--queues", help="Comma-separated queues to take tasks from; default: option operators.default_queue."
)
@click.option(
    "-c",
    "--concurrency",
    type=IntegerRange(1),
    help="How many tasks run at the same time; default: option celery.worker_concurrency.",
)
@click.option(
    "-H",
    "--celery-hostname",
    help="Name of this worker in Celery; %h stands for the name of the host. Default: gnomon@%h.",
)
@pass_home
def worker(home: Home, queues: str | None, concurrency: int | None, celery_hostname: str | None) -> int:
    """Run tasks of the CeleryExecutor until it is stopped.

    The worker needs the broker ([celery] broker_url), the api-server ([core] execution_api_server_url) and the DAG files, and neither the
    database nor its key.
    """
    names = None if queues is None else tuple(name.strip() for name in queues.split(","))
    if names is not None and not all(names):
        raise UserError(say("queue_name_is_empty", text=repr(queues)))
    return services.serve_celery_worker(home.cfg, names, concurrency, celery_hostname)


@celery.command()
@click.option(
    "-H",
    "--hostname",
    default="127.0.0.1",
    show_default=True,
    help="Address to serve the pages of Flower at. They show every message; give --basic-auth for another one.",
)
@click.option(
    "-p", "--port", type=IntegerRange(1, 65535), default=5555, show_default=True, help="Port to serve them at."
)
@click.option("-u", "--url-prefix", help="The path before the pages of Flower, where a proxy serves them.")
@click.option(
    "-a",
    "--basic-auth",
    help="Logins, NAME:PASSWORD with commas between them. The variable FLOWER_BASIC_AUTH keeps them out of the list of processes.",
)
@click.option(
    "-b",
    "--broker-api",
    help="The address of the management API of RabbitMQ, with which Flower counts the messages of its queues.",
)
@pass_home
def flower(
    home: Home, hostname: str, port: int, url_prefix: str | None, basic_auth: str | None, broker_api: str | None
) -> int:
    """Run Flower beside the broker of the CeleryExecutor until it is stopped.

    Flower is a package of its own: pip install flower. It shows the queues of the broker; its pages of workers and tasks stay empty, because
    workers send no events and answer no commands: gnomon services and gnomon tasks states show those.
    """
    for module in ("celery", "flower"):
        if find_spec(module) is None:
            raise UserError(say("package_is_not_installed", package=module))
    options = {"URL_PREFIX": url_prefix, "BASIC_AUTH": basic_auth, "BROKER_API": broker_api}
    environ = environment() | {
        "CELERY_BROKER_URL": home.cfg.text("celery", "broker_url"),
        "FLOWER_ADDRESS": hostname,
        "FLOWER_PORT": str(port),
        **{f"FLOWER_{name}": value for name, value in options.items() if value is not None},
    }
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-m", "celery", "flower"], environ)
