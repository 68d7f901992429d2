"""The DAGs of which no run is planned because of an error, each circle of waits named once."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.records import DagRecord
from gnomon.model.sentences import Sentence, quote, render, say
from gnomon.rules.dependencies.faults import find_circles
from gnomon.rules.dependencies.shape import shape_of


def list_unplanned(dags: Iterable[DagRecord]) -> list[Sentence]:
    """A sentence for each circle of DAGs that wait for one another, and one for each other DAG whose dependencies or schedule have an error; none about paused ones."""
    faulty = sorted((dag for dag in dags if dag.active and (dag.dependency_error or dag.error)), key=_get_id)
    if not faulty:
        return []
    paused = {dag.dag_id for dag in faulty if dag.paused}
    in_circle: set[str] = set()
    sentences = []
    for circle in find_circles({dag.dag_id: shape_of(dag.spec) for dag in faulty}):
        reasons = {dag_id: say("dag_is_in_cycle", dag=dag_id, names=words) for dag_id, words in circle.items()}
        in_circle |= {render(reason) for reason in reasons.values()}
        running = [dag_id for dag_id in sorted(circle) if dag_id not in paused]
        sentences += [say("simulated_dag_has_no_plan", dag=dag_id, why=reasons[dag_id]) for dag_id in running[:1]]
    for dag in faulty:
        error = dag.dependency_error or dag.error or ""
        if error not in in_circle and not dag.paused:
            sentences.append(say("simulated_dag_has_no_plan", dag=dag.dag_id, why=quote(error)))
    return sentences


def _get_id(dag: DagRecord) -> str:
    return dag.dag_id
