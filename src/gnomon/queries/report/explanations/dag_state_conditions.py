"""The conditions that the database knows of every DAG: a scheduler is alive, its file can be loaded, it is neither paused nor deleted nor set aside."""

from __future__ import annotations

from gnomon.model.ids import UNMAPPED
from gnomon.model.records import DagRecord
from gnomon.model.sentences import Command, Sentence, quote, say
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.queries.report.explanations.explanation import Explanation
from gnomon.queries.report.listings import process_health
from gnomon.queries.report.listings.quarantine_list import list_quarantine_sentences
from gnomon.storage.store import Transaction
from gnomon.storage.store.parsed_files import dag_files


def check_scheduler(tx: Transaction) -> WaitCondition:
    """Whether a scheduler is alive."""
    if process_health.is_scheduler_alive(tx):
        return WaitCondition("scheduler", True, say("scheduler_is_alive"))
    missing = say("no_scheduler", command=Command("standalone"), other_command=Command("scheduler"))
    release = ReleaseTarget(ReleaseAct.START_SERVICE, service="scheduler")
    return WaitCondition("scheduler", False, missing, release=release)


def list_file_errors(tx: Transaction, dag: DagRecord) -> list[WaitCondition]:
    """Why the file of the DAG cannot be loaded; [] when it can."""
    return [
        WaitCondition("file_loads", False, say("file_cannot_be_loaded", file=dag.file, error=error.message))
        for error in dag_files.list_import_errors(tx)
        if error.path == dag.file
    ]


def add_activity(explanation: Explanation, dag: DagRecord) -> None:
    """Add whether the DAG is active and not paused; of a deleted one also what becomes of its runs, and what to do."""
    explanation.add(_check_activity(dag))
    if not dag.active:
        mark = Command("runs mark", (dag.dag_id, "RUN_ID"), ("--state", "failed"))
        delete = Command("dags delete", (dag.dag_id,))
        explanation.note(say("runs_of_deleted_dag"), say("act_on_deleted_dag", command=mark, other_command=delete))


def _check_activity(dag: DagRecord) -> WaitCondition:
    if not dag.active:
        return WaitCondition("dag_active", False, say("dag_is_deleted", file=dag.file))
    if not dag.paused:
        return WaitCondition("dag_active", True, say("dag_is_not_paused", dag=dag.dag_id))
    release = ReleaseTarget(ReleaseAct.UNPAUSE_DAG, dag.dag_id)
    paused = say("dag_is_paused", dag=dag.dag_id)
    return WaitCondition("dag_active", False, paused, release=release, longer=describe_pause(dag))


def describe_pause(dag: DagRecord) -> Sentence:
    """That the DAG is paused, and the command that ends it."""
    return say("dag_is_paused_unpause", dag=dag.dag_id, command=Command("dags unpause", (dag.dag_id,)))


def list_quarantined(
    tx: Transaction, dag: DagRecord, run_pk: int | None = None, task_id: str | None = None, map_index: int = UNMAPPED
) -> list[WaitCondition]:
    """What of the DAG, its run or its task instance is in quarantine."""
    return [
        WaitCondition("quarantine", False, sentence)
        for sentence in list_quarantine_sentences(tx, dag, run_pk, task_id, map_index)
    ]


def describe_rest(count: int, shown: int, code: str) -> list[Sentence]:
    """That there are more than those shown, by a sentence with this code; [] when there are not."""
    return [say(code, count=count - shown)] if count > shown else []


def quote_all(texts: list[str]) -> list[Sentence]:
    """Sentences that are not in the catalogue: of authors, of calendars, or stored."""
    return list(map(quote, texts))
