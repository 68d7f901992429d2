"""What is wrong with a DAG's dependencies on others, as it is now: errors of the graph, and names that are not there."""

from __future__ import annotations

from collections import defaultdict

from gnomon.dependencies.faults import doubts_of
from gnomon.model.records import DagRecord
from gnomon.store import Transaction, dags, edges, load


def planning_error(dag: DagRecord) -> str | None:
    """Why no run of the DAG is planned: its timetable, its dependencies, or both."""
    return "; ".join(filter(None, (dag.error, dag.dependency_error))) or None


def upstream_warnings(tx: Transaction, dag_id: str | None = None) -> dict[str, list[str]]:
    """By DAG (one, or all that are in a file), what it waits for that is not there; those without such a doubt are left out."""
    listed = [one for one in edges.list_edges(tx) if dag_id is None or one.dag_id == dag_id]
    if all(one.is_known and one.edge.after.task_id is None for one in listed):
        return {}
    there = {row.dag_id: row.version_pk for row in dags.list_dags(tx) if row.active}
    of_tasks = {one.edge.after.dag_id for one in listed if one.edge.after.task_id is not None}
    specs = load.load_versions(tx, [there[up] for up in of_tasks if up in there])
    tasks = {spec.dag_id: [task.task_id for task in spec.tasks] for spec in specs.values()}
    by_dag = defaultdict(list)
    for one in listed:
        by_dag[one.dag_id].append(one.edge)
    told = {mine: doubts_of(mine, several, there, tasks) for mine, several in by_dag.items()}
    return {mine: doubts for mine, doubts in told.items() if doubts}
