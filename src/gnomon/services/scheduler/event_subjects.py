"""Which run, DAG or attempt an event of the engine is about."""

from __future__ import annotations

from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState


def find_run_pk(event: e.EngineEvent) -> int | None:
    """The run that the event is about; None: none, or it is not known."""
    match event:
        case e.RunRead(run=run):
            return run.run_pk
        case e.ResultReceived(result=result):
            return result.run_pk
        case e.DeferralEnded(key=key) | e.HITLAnswered(key=key):
            return key.run_pk
        case e.InstancesMutated(question=question):
            return question.run.run_pk
        case _:
            run_pk = getattr(event, "run_pk", None)
            return run_pk if isinstance(run_pk, int) else None


def find_dag_pk(event: e.EngineEvent, engine_state: EngineState) -> int | None:
    """The DAG that the event is about, as far as the engine state knows; None: none, several, or it is not known."""
    match event:
        case e.DagRead(dag=dag):
            return dag.dag_pk
        case e.RunRead(run=run):
            return run.dag_pk
        case e.BackfillRead(backfill=backfill):
            return backfill.dag_pk
        case e.AuthorCodeEntered(attempt_id=attempt_id):
            ti = engine_state.attempts.get(attempt_id)
            return None if ti is None else ti.run.record.dag_pk
        case e.PrioritiesRaised(dag_id=dag_id):
            dag_of_id = engine_state.find_dag(dag_id)
            return None if dag_of_id is None else dag_of_id.record.dag_pk
        case _:
            dag_pk = getattr(event, "dag_pk", None)
            if isinstance(dag_pk, int):
                return dag_pk
            attached = engine_state.runs.get(find_run_pk(event) or 0)
            return None if attached is None else attached.record.dag_pk
