"""`gnomon xcom`: the values that the tasks of a run passed on."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from gnomon.changes.actions.xcom_changes import encode_value, name_instance
from gnomon.changes.operations import xcom_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.output import output_option, print_document, print_records
from gnomon.entry.cli.task_selection import MAP_INDEX, instance_arguments, split_choice
from gnomon.model.attempts import RETURN_VALUE
from gnomon.model.ids import UNMAPPED
from gnomon.model.serde.text_form import describe_stored

_SHOWN_MAX = 100
"""Characters of a value in the table of `xcom list`."""
_KEY = click.option("-k", "--key", default=RETURN_VALUE, show_default=True, help="The key of the value.")

_SHOW_SECRETS = click.option(
    "--show-secrets", is_flag=True, help="Show the secrets of stored connections and Variables in the values."
)


@click.group()
def xcom() -> None:
    """List, get, set and delete the XComs of a run."""


@xcom.command("list")
@click.argument("dag_id", metavar="DAG")
@click.argument("run_id", metavar="RUN")
@click.argument("task", metavar="[TASK]", required=False)
@click.option("--map-index", type=MAP_INDEX, help="Map index of a mapped task; TASK[INDEX] says the same.")
@_SHOW_SECRETS
@output_option
@pass_deployment
def list_(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task: str | None,
    map_index: int | None,
    show_secrets: bool,
    output: str,
) -> None:
    """List the XComs of RUN, or of one task of it. The table shows the beginning of long values, `gnomon xcom get` the whole value."""
    if task is None and map_index is not None:
        raise click.UsageError("--map-index is about one task: name it after RUN")
    task_id, index = (None, UNMAPPED) if task is None else split_choice(task, map_index)
    rows = deployment.perform(operations.list_xcoms, dag_id, run_id, task_id, index, show_secrets)
    if output == "table":
        rows = [replace(row, value=_shorten(_show(row.value))) for row in rows]
    print_records(rows, output, ("task_id", "map_index", "key", "value"), empty="no XComs")


@xcom.command()
@instance_arguments
@_KEY
@_SHOW_SECRETS
@output_option
@pass_deployment
def get(
    deployment: DeploymentAccess,
    dag_id: str,
    run_id: str,
    task_id: str,
    map_index: int,
    key: str,
    show_secrets: bool,
    output: str,
) -> None:
    """Print the value that TASK of RUN pushed under the key, as JSON. Secrets of stored connections and Variables are masked without --show-secrets."""
    value = deployment.perform(operations.get_xcom, dag_id, run_id, task_id, map_index, key, show_secrets).value
    if output == "table":
        click.echo(json.dumps(value, ensure_ascii=False))
    else:
        print_document(value, output)


@xcom.command("set")
@instance_arguments
@click.argument("value", metavar="VALUE")
@_KEY
@pass_deployment
def set_(
    deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, value: str, key: str
) -> None:
    """Set the value of TASK in RUN to VALUE, a JSON document such as 5, '"text"' or '{"a": 1}'. The task must have ended.

    Tasks that have read the old value do not run again: clear them with `gnomon tasks clear`.
    """
    try:
        text = encode_value(json.loads(value))
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"VALUE is not valid JSON: {error}; write a text as '\"text\"'") from None
    deployment.perform(operations.set_xcom, dag_id, run_id, task_id, map_index, text, key)
    click.echo(f"set XCom {key!r} of {name_instance(task_id, map_index)}")


@xcom.command()
@instance_arguments
@_KEY
@pass_deployment
def delete(deployment: DeploymentAccess, dag_id: str, run_id: str, task_id: str, map_index: int, key: str) -> None:
    """Delete the value of TASK in RUN. The task must have ended."""
    deployment.perform(operations.delete_xcom, dag_id, run_id, task_id, map_index, key)
    click.echo(f"deleted XCom {key!r} of {name_instance(task_id, map_index)}")


def _show(value: object) -> str:
    return json.dumps(describe_stored(value), ensure_ascii=False, separators=(",", ":"))


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else f"{text[: _SHOWN_MAX - 1]}…"
