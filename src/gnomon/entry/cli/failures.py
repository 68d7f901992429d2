"""`gnomon failures`: what failed, why, and what it held up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from gnomon.changes.operations import failure_operations
from gnomon.entry.cli.deployment.choose_deployment import pass_deployment
from gnomon.entry.cli.deployment.deployment_access import DeploymentAccess
from gnomon.entry.cli.integer_range import IntegerRange
from gnomon.entry.cli.output import output_option, print_document
from gnomon.entry.cli.past_times import PastTime, PastTimeType
from gnomon.entry.cli.terminal.reader_language import put_into_words, word
from gnomon.entry.cli.terminal.screen import is_utc_asked
from gnomon.model.sentences import say
from gnomon.queries.report.activity.failure_list import FailureRow


@click.command()
@click.argument("dag_ids", metavar="[DAG]...", nargs=-1)
@click.option(
    "--since", type=PastTimeType(), default="24h", show_default=True, help="Since when: `2h`, `yesterday`, a date."
)
@click.option(
    "--limit",
    type=IntegerRange(1, failure_operations.LISTED_MAX),
    default=50,
    show_default=True,
    help="The most runs, those that ended last.",
)
@output_option
@pass_deployment
def failures(deployment: DeploymentAccess, dag_ids: tuple[str, ...], since: PastTime, limit: int, output: str) -> None:
    """List the runs that failed: which tasks failed and why, which tasks of the run and which runs of other DAGs that holds up, and whether a later run
    of the DAG has succeeded."""
    failed_runs = deployment.perform(
        failure_operations.list_failed_runs, since.resolve(deployment.clock.now(), is_utc_asked()), list(dag_ids), limit
    )
    if output != "table":
        print_document([asdict(row) for row in failed_runs], output)
        return
    for row in failed_runs:
        click.echo("\n".join(_format_row(row)))
    broken = len({row.dag_id for row in failed_runs if row.healed_by is None})
    click.echo(
        word(
            say(
                "failed_runs_in_all",
                runs=say("count_of_failed_runs", count=len(failed_runs)),
                more=say("dags_still_broken", count=broken),
            )
            if failed_runs
            else say("no_run_failed")
        )
    )
    if len(failed_runs) == limit:
        click.echo(f"only the last {limit} are listed; --limit lists more", err=True)


def _format_row(row: FailureRow) -> Iterator[str]:
    state = say("is_still_broken") if row.healed_by is None else say("was_healed_by", text=row.healed_by)
    yield f"{row.ended_at}  {row.dag_id} {row.run_id}  {word(state)}"
    for task in row.tasks:
        stored = say("with_stored_error", error=task.error) if task.error else None
        yield f"    {word(say('task_of_run_failed', text=task.task, stored=stored))}"
    if row.failed_tasks > len(row.tasks):
        yield f"    {word(say('more_tasks_failed', count=row.failed_tasks - len(row.tasks)))}"
    if not row.tasks and row.reason:
        yield f"    {put_into_words(row.reason)}"
    if row.held_up:
        left_out = row.held_up - len(row.held_up_tasks)
        more = say("and_more", count=left_out) if left_out else None
        yield f"    {word(say('not_run_because_of_it', names=', '.join(row.held_up_tasks), more=more))}"
    if row.waiting_runs:
        yield f"    {word(say('runs_wait_for_it', names=', '.join(row.waiting_runs)))}"
