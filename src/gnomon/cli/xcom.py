"""`gnomon xcom`: the values that the tasks of a run passed on."""

from __future__ import annotations

import json
from dataclasses import dataclass

import click

from gnomon.actions.xcom_changes import XComName, delete_xcom, encode_value, name_instance, set_xcom
from gnomon.cli.home import Home, pass_home
from gnomon.cli.output import output_option, print_document, print_records
from gnomon.cli.task_selection import MAP_INDEX, instance_arguments, split_choice
from gnomon.errors.product import UserError
from gnomon.model.attempts import RETURN_VALUE
from gnomon.model.ids import UNMAPPED, quote_argument
from gnomon.report.listings.connection_list import hide_stored_secrets
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.not_found import task_not_found
from gnomon.report.listings.run_list import find_run
from gnomon.store import Transaction
from gnomon.store.dag_records import xcom_values

_SHOWN_MAX = 100
"""Characters of a value in the table of `xcom list`."""
_KEY = click.option("-k", "--key", default=RETURN_VALUE, show_default=True, help="The key of the value.")

_SHOW_SECRETS = click.option("--show-secrets", is_flag=True, help="Show the secrets of stored connections and Variables in the values.")


@dataclass(frozen=True, slots=True)
class XComRow:
    """One value; `value` is what the task pushed, as JSON."""

    task_id: str
    map_index: int
    key: str
    value: object


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
@pass_home
def list_(home: Home, dag_id: str, run_id: str, task: str | None, map_index: int | None, show_secrets: bool, output: str) -> None:
    """List the XComs of RUN, or of one task of it. The table shows the beginning of long values, `gnomon xcom get` the whole value."""
    if task is None and map_index is not None:
        raise click.UsageError("--map-index is about one task: name it after RUN")
    task_id, index = (None, UNMAPPED) if task is None else split_choice(task, map_index)
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        if task_id is not None and task_id not in dag.task_numbers:
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        stored = xcom_values.list_run_xcoms(tx, find_run(tx, dag, run_id))
        chosen = [one for one in stored if task_id in (None, one.task_id) and index in (UNMAPPED, one.map_index)]
        values = _read_values(tx, [one.value for one in chosen], show_secrets)
    rows = [
        XComRow(one.task_id, one.map_index, one.key, _shorten(json.dumps(value, ensure_ascii=False, separators=(",", ":"))) if output == "table" else value)
        for one, value in zip(chosen, values, strict=True)
    ]
    print_records(rows, output, ("task_id", "map_index", "key", "value"), empty="no XComs")


@xcom.command()
@instance_arguments
@_KEY
@_SHOW_SECRETS
@output_option
@pass_home
def get(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int, key: str, show_secrets: bool, output: str) -> None:
    """Print the value that TASK of RUN pushed under the key, as JSON. Secrets of stored connections and Variables are masked without --show-secrets."""
    with home.store() as db, db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        if task_id not in dag.task_numbers:
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        found = xcom_values.read_xcoms(tx, run, key, [task_id])
        values = _read_values(tx, [one.value for one in found if one.map_index == map_index], show_secrets)
    if not values:
        indices = [one.map_index for one in found if one.map_index >= 0]
        remedy = f"it has one for each map index, such as {task_id}[{indices[0]}]" if indices else f"`gnomon xcom list {dag_id} {quote_argument(run_id)}` lists all"
        raise UserError(f"task {name_instance(task_id, map_index)!r} has no XCom {key!r} in run {run_id!r}; {remedy}")
    if output == "table":
        click.echo(json.dumps(values[0], ensure_ascii=False))
    else:
        print_document(values[0], output)


@xcom.command("set")
@instance_arguments
@click.argument("value", metavar="VALUE")
@_KEY
@pass_home
def set_(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int, value: str, key: str) -> None:
    """Set the value of TASK in RUN to VALUE, a JSON document such as 5, '"text"' or '{"a": 1}'. The task must have ended.

    Tasks that have read the old value do not run again: clear them with `gnomon tasks clear`.
    """
    try:
        text = encode_value(json.loads(value))
    except ValueError as error:
        raise click.UsageError(f"VALUE is not valid JSON: {error}; write a text as '\"text\"'") from None
    with home.store() as db:
        set_xcom(home, db, XComName(dag_id, run_id, task_id, map_index, key), text)
    click.echo(f"set XCom {key!r} of {name_instance(task_id, map_index)}")


@xcom.command()
@instance_arguments
@_KEY
@pass_home
def delete(home: Home, dag_id: str, run_id: str, task_id: str, map_index: int, key: str) -> None:
    """Delete the value of TASK in RUN. The task must have ended."""
    with home.store() as db:
        delete_xcom(home, db, XComName(dag_id, run_id, task_id, map_index, key))
    click.echo(f"deleted XCom {key!r} of {name_instance(task_id, map_index)}")


def _read_values(tx: Transaction, texts: list[str], shows_secrets: bool) -> list[object]:
    values: list[object] = [json.loads(text) for text in texts]
    return values if shows_secrets or not values else list(hide_stored_secrets(tx, values))


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else f"{text[: _SHOWN_MAX - 1]}…"
