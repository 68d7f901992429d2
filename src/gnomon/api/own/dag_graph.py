"""The nodes of the graph of DAGs and assets, and the states of the newest runs."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePath

from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.dag_answers import find_relative_path
from gnomon.api.v2.dag_filters import list_owners
from gnomon.model.instants import to_datetime
from gnomon.queries.report.listings.asset_list import list_asset_circles
from gnomon.queries.report.waits.dag_graph import read_asset_graph
from gnomon.storage.store.asset_records import asset_events
from gnomon.storage.store.dag_records import dag_runs, dags

router = OperationRouter(prefix="/dependencies", tags=["Dependency"])


class GraphDagAnswer(Answer):
    """A DAG that a file defines."""

    dag_id: str
    display_name: str
    folder: str
    """The folder of its file below the folder of DAG files; empty: that folder itself."""
    owners: list[str]
    tags: list[str]
    paused: bool
    triggers: list[str]
    """The DAGs that its tasks trigger, as far as their ids are no templates; only those that the user may see."""


class GraphAssetAnswer(Answer):
    """An asset, an alias, or a reference to an asset that no file declares."""

    kind: str
    """`asset`, `alias` or `unknown`."""
    name: str
    uri: str
    asset_id: int | None


class GraphAssetEdgeAnswer(Answer):
    """A DAG names an asset or an alias."""

    dag_id: str
    task_id: str | None
    """None: the schedule of the DAG."""
    role: str
    """`schedule`, `inlet` or `outlet`."""
    asset: int
    """The index of the asset in `assets`."""


class GraphNodesAnswer(Answer):
    """What the graph of DAGs and assets consists of, beside the dependencies between DAGs."""

    dags: list[GraphDagAnswer]
    assets: list[GraphAssetAnswer]
    asset_edges: list[GraphAssetEdgeAnswer]
    alias_edges: list[list[int]]
    """Pairs of indexes in `assets`: an alias, and an asset that got events through it."""
    circles: list[list[str]]
    """DAGs that schedule one another by assets without end."""


@router.get("/nodes", dependencies=[requires(Permission.READ, ApiResource.DAG)])
def get_graph_nodes(context: Context, user: CurrentUser) -> GraphNodesAnswer:
    """The DAGs that files define, and the assets that they name. What only DAGs name that the user may not see is left out."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        facts = context.facts.find_all(tx)
        stored = [
            dag for dag in dags.list_dags(tx) if dag.active and dag.dag_id in visible and dag.dag_pk in facts.by_dag
        ]
        graph = read_asset_graph(tx, shown=None if visible.is_all else {dag.dag_id for dag in stored})
        circles = [circle for circle in list_asset_circles(tx) if all(dag_id in visible for dag_id in circle)]
    nodes = []
    for dag in stored:
        about = facts.by_dag[dag.dag_pk]
        folder = PurePath(find_relative_path(dag.file, context.cfg) or dag.file).parent
        nodes.append(
            GraphDagAnswer(
                dag_id=dag.dag_id,
                display_name=about.display_name,
                folder="" if str(folder) == "." else str(folder),
                owners=list_owners(about),
                tags=sorted(about.spec.tags),
                paused=dag.paused,
                triggers=[dag_id for dag_id in about.triggers if dag_id in visible],
            )
        )
    return GraphNodesAnswer(
        dags=nodes,
        assets=[
            GraphAssetAnswer(kind=node.kind, name=node.name, uri=node.uri, asset_id=node.asset_pk)
            for node in graph.nodes
        ],
        asset_edges=[
            GraphAssetEdgeAnswer(dag_id=edge.dag_id, task_id=edge.task_id, role=edge.role, asset=edge.node)
            for edge in graph.edges
        ],
        alias_edges=[list(edge) for edge in graph.alias_edges],
        circles=[list(circle) for circle in circles],
    )


class NewestRunsAnswer(Answer):
    """The newest run of each DAG that has one."""

    runs: dict[str, list[str]]
    """By DAG id: the id and the state of the run."""


@router.get("/newestRuns", dependencies=[requires(Permission.READ, ApiResource.DAG_RUN)])
def get_newest_runs(context: Context, user: CurrentUser) -> NewestRunsAnswer:
    """The newest run of every DAG that the user may see."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        newest = dag_runs.list_newest_run_states(tx)
        shown = [dag for dag in dags.list_dags(tx) if dag.dag_pk in newest and dag.dag_id in visible]
    return NewestRunsAnswer(runs={dag.dag_id: [newest[dag.dag_pk][0], newest[dag.dag_pk][1].value] for dag in shown})


class NewestEventsAnswer(Answer):
    """When each asset that has one got its newest event."""

    events: dict[int, datetime]
    """By the id of the asset."""


@router.get("/newestEvents", dependencies=[requires(Permission.READ, ApiResource.ASSET)])
def get_newest_events(context: Context, user: CurrentUser) -> NewestEventsAnswer:
    """The time of the newest event of every asset of the graph. What a DAG made that the user may not see does not count."""
    with context.database.read() as tx:
        visible = VisibleDags(context, tx, user)
        shown = None if visible.is_all else {dag.dag_id for dag in dags.list_dags(tx) if dag.dag_id in visible}
        graph = read_asset_graph(tx, shown=shown)
        asset_pks = [node.asset_pk for node in graph.nodes if node.asset_pk is not None]
        newest = asset_events.find_newest_events(tx, asset_pks, shown)
    return NewestEventsAnswer(events={asset_pk: to_datetime(at) for asset_pk, (_, at) in newest.items()})
