"""`gnomon audit`: who changed what, when and from where."""

from __future__ import annotations

import json
from dataclasses import replace

import click

from gnomon.changes.operations import audit_operations as operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_records
from gnomon.entry.cli.terminal.reader_language import find_reader_language, put_into_words, word
from gnomon.model.sentences.stored_sentences import put_into_details
from gnomon.queries.report.listings.audit_list import read_details


@click.command()
@click.option("--dag", metavar="DAG", help="Only lines about this DAG and its runs.")
@click.option("--run", "run_id", metavar="RUN", help="Only lines about runs with this id.")
@click.option(
    "--event", metavar="EVENT", help="Only lines of this kind, for example run_created, marked, pool_changed."
)
@click.option(
    "--by", metavar="USER", help="Only lines of this user or service, for example api:ann, cli:root, scheduler."
)
@click.option(
    "--limit", type=IntegerRange(1, operations.ROWS_MAX), default=50, show_default=True, help="The most lines to show."
)
@output_option
@pass_deployment
def audit(
    deployment: DeploymentAccess,
    dag: str | None,
    run_id: str | None,
    event: str | None,
    by: str | None,
    limit: int,
    output: str,
) -> None:
    """List the newest lines of the audit log, newest first."""
    rows = deployment.perform(operations.list_audit_log, dag, run_id, event, by, limit)
    if output == "table" and find_reader_language() is not None:
        rows = [replace(row, details=_put_into_language(row.details)) for row in rows]
    columns = ("at", "event", "by", "address", "dag_id", "run_id", "task_id", "details")
    print_records(rows, output, columns, empty="the audit log has no such line")


def _put_into_language(details: str | None) -> str | None:
    """The details with their sentences in the language of the reader."""
    if details is None:
        return None
    fields = read_details(details)
    if not fields:
        return put_into_words(details)
    return json.dumps(put_into_details(fields, word), ensure_ascii=False)
