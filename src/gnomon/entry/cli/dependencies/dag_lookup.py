"""Finds a DAG, deployed or not, and the DAGs that it waits for: in its file, in the database, or in the DAGs folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from gnomon.changes.actions.author_queries import make_question_handler
from gnomon.changes.actions.dependency_previews import LocatedDag
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.trial.dag_search import find_by_id, find_in_file, looks_like_file, parse_all_files
from gnomon.model.errors.product import UserError
from gnomon.model.ids import shorten_names
from gnomon.model.sentences import say
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.queries.report.waits.sensor_waits import SensorEdge, list_sensor_edges
from gnomon.services.dagfiles.inputs import create_environment_stamps
from gnomon.services.dagfiles.parse_pool import ParsePool
from gnomon.services.dagfiles.service import start_parse_pool
from gnomon.services.dagfiles.settings import SourceFolder, build_dag_processor_settings
from gnomon.storage.store import DatabaseNotInitialised
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.ownership import group_state


@dataclass(frozen=True, slots=True)
class DagWithUpstreams:
    """A DAG and the DAGs that it waits for."""

    dag: LocatedDag
    upstreams: dict[str, LocatedDag | None]
    """By DAG id; None when that DAG is found nowhere."""
    sensors: list[SensorEdge]
    """What its sensors wait for, and the markers of other DAGs that name its tasks."""


def locate_dag(home: Home, file_or_id: str, dag_id: str | None) -> DagWithUpstreams:
    """The DAG of a file (`dag_id` selects one of several), or the DAG of that id; with its upstream DAGs.

    Upstream DAGs are searched in the same file first, then in the database, then in the DAGs folder. Raises UserError when there
    is no such DAG.
    """
    if looks_like_file(file_or_id):
        siblings = _load_file(home, file_or_id, dag_id)
        dag = siblings.pop("")
    else:
        if dag_id is not None and dag_id != file_or_id:
            raise UserError(say("dag_id_needs_file", dag=file_or_id))
        siblings, dag = {}, _find_by_id(home, file_or_id)
    sensors = _list_sensors(home, dag.spec, [sibling.spec for sibling in siblings.values()])
    upstream_ids = {edge.dependency.dag_id for edge in collect_edges(dag.spec)} | {
        sensor.upstream_dag_id for sensor in sensors if sensor.upstream_dag_id is not None
    }
    return DagWithUpstreams(
        dag, {up_id: siblings.get(up_id) or _find_upstream(home, up_id) for up_id in sorted(upstream_ids)}, sensors
    )


def load_all_specs(home: Home) -> list[DagSpec]:
    """The DAGs of all files in the DAGs folder; when two files define the same id, the first file in the order of paths counts."""
    with _open_parse_pool(home) as pool:
        files = sorted(parse_all_files(pool, build_dag_processor_settings(home.cfg)), key=lambda file: file.path)
    specs: dict[str, DagSpec] = {}
    for dag in (dag for file in files for dag in file.dags):
        specs.setdefault(dag.spec.dag_id, dag.spec)
    return list(specs.values())


@dataclass(frozen=True, slots=True)
class FolderDags:
    """The DAGs of a folder, with their files, and the files that were left out because they cannot be loaded."""

    dags: list[tuple[DagSpec, str]]
    broken: list[str]


def load_folder(home: Home, folder: str, *, shown: str | None = None, skip_broken: bool = False) -> FolderDags:
    """The DAGs of all files in a folder; as `load_all_specs` when two files define the same id.

    `shown`: what messages call the folder. Raises UserError when there is no such folder, a file cannot be loaded and `skip_broken` is
    not set, or no file defines a DAG.
    """
    name, path = folder if shown is None else shown, os.path.abspath(folder)
    if not os.path.isdir(folder):
        raise UserError(say("folder_does_not_exist", folder=name))
    settings = replace(build_dag_processor_settings(home.cfg), roots=(SourceFolder(path),), bundles=())
    with _open_parse_pool(home) as pool:
        files = sorted(parse_all_files(pool, settings), key=lambda file: file.path)
    broken = [file for file in files if file.failures]
    if broken and not skip_broken:
        messages = "\n".join(failure.message for file in broken for failure in file.failures)
        raise UserError(
            say(
                "folder_has_broken_files",
                count=len(broken),
                folder=name,
                error=messages if shown is None else messages.replace(path, shown),
            )
        )
    dags: dict[str, tuple[DagSpec, str]] = {}
    for file in files:
        for dag in file.dags:
            dags.setdefault(dag.spec.dag_id, (dag.spec, file.path))
    left_out = [os.path.relpath(file.path, path) for file in broken]
    if not dags:
        more = (
            say("as_broken_files_are_left_out", count=len(left_out), names=shorten_names(left_out))
            if left_out
            else None
        )
        raise UserError(say("folder_defines_no_dag", folder=name, more=more))
    return FolderDags(list(dags.values()), left_out)


def _list_sensors(home: Home, spec: DagSpec, siblings: list[DagSpec]) -> list[SensorEdge]:
    """The waits of the sensors of a DAG, and the markers of DAGs of the same file, or else of the database, that name its tasks."""
    try:
        with home.store() as db, db.read() as tx:
            active = [dag for dag in dags.list_dags(tx) if dag.active]
            specs = group_state.load_specs(tx, [dag.version_pk for dag in active])
    except DatabaseNotInitialised:
        specs = {}
    by_id = {dag_spec.dag_id: dag_spec for dag_spec in [*specs.values(), *siblings, spec]}
    return [edge for dag_spec in by_id.values() for edge in list_sensor_edges(dag_spec) if edge.dag_id == spec.dag_id]


def _load_file(home: Home, path: str, dag_id: str | None) -> dict[str, LocatedDag]:
    """The DAGs of the file by id; the selected one also under the key ""."""
    with _open_parse_pool(home) as pool:
        target = find_in_file(pool, path, dag_id)
    located = {dag.spec.dag_id: LocatedDag(dag.spec, target.parsed.path, "the same file") for dag in target.parsed.dags}
    return {**located, "": located[target.dag.spec.dag_id]}


def _find_by_id(home: Home, dag_id: str) -> LocatedDag:
    try:
        with home.store() as db, db.read() as tx:
            dag = find_dag(tx, dag_id)
        return LocatedDag(dag.spec, dag.file, "the database")
    except DatabaseNotInitialised:
        return _find_in_folder(home, dag_id)
    except NameNotFound as missing:
        try:
            return _find_in_folder(home, dag_id)
        except UserError:
            raise missing from None


def _find_upstream(home: Home, dag_id: str) -> LocatedDag | None:
    try:
        with home.store() as db, db.read() as tx:
            row = dags.find_dag_row(tx, dag_id)
            if row is not None and row.active:
                return LocatedDag(find_dag(tx, dag_id).spec, row.file, "the database")
    except DatabaseNotInitialised:
        pass
    try:
        return _find_in_folder(home, dag_id)
    except UserError:
        return None


def _find_in_folder(home: Home, dag_id: str) -> LocatedDag:
    with _open_parse_pool(home) as pool:
        target = find_by_id(pool, build_dag_processor_settings(home.cfg), dag_id, None)
    return LocatedDag(target.dag.spec, target.parsed.path, "the DAGs folder")


@contextmanager
def _open_parse_pool(home: Home) -> Iterator[ParsePool]:
    with closing(
        start_parse_pool(
            home.cfg, build_dag_processor_settings(home.cfg), create_environment_stamps(home.cfg), home.clock
        )
    ) as pool:
        pool.handle_task_api = make_question_handler(home.cfg)
        yield pool
