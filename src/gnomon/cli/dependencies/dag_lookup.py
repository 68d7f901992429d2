"""Which DAG a person means, deployed or not, and the DAGs that it waits for: in its file, in the database, in the DAGs folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import tzinfo

from gnomon.cli.author_queries import make_question_handler
from gnomon.cli.home import Home
from gnomon.cli.trial.dag_search import find_by_id, find_in_file, looks_like_file, parse_all_files
from gnomon.dagfiles.inputs import create_environment_stamps
from gnomon.dagfiles.parse_pool import ParsePool
from gnomon.dagfiles.service import start_parse_pool
from gnomon.dagfiles.settings import build_dag_processor_settings
from gnomon.errors.product import UserError
from gnomon.model.spec import DagSpec, collect_edges
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.not_found import NameNotFound
from gnomon.sdk.schedules.timezone import find_zone
from gnomon.store import DatabaseNotInitialised
from gnomon.store.dag_records import dags


@dataclass(frozen=True, slots=True)
class LocatedDag:
    """A DAG and its file."""

    spec: DagSpec
    file: str
    origin: str
    """Where it was found, in words."""

    @property
    def zone_name(self) -> str:
        """Whose days count for it: its timetable's zone, or its own."""
        timetable = self.spec.timetable
        own = timetable.data.get("timezone") if timetable.builtin else timetable.timezone
        name = own if isinstance(own, str) else self.spec.timezone
        return "UTC" if name.lower() == "utc" else name

    @property
    def zone(self) -> tzinfo:
        return find_zone(self.zone_name)


@dataclass(frozen=True, slots=True)
class DagWithUpstreams:
    """A DAG, and those that it waits for."""

    dag: LocatedDag
    upstreams: dict[str, LocatedDag | None]
    """None: there is no such DAG anywhere."""


def locate_dag(home: Home, file_or_id: str, dag_id: str | None) -> DagWithUpstreams:
    """The DAG of a file (`dag_id` says which), or of that id; with its upstreams. UserMistake when there is none.

    A file comes before the database, the database before the other files of the DAGs folder.
    """
    if looks_like_file(file_or_id):
        siblings = _load_file(home, file_or_id, dag_id)
        dag = siblings.pop("")
    else:
        if dag_id is not None and dag_id != file_or_id:
            raise UserError(f"--dag-id goes with a file; {file_or_id!r} is the id of a DAG already")
        siblings, dag = {}, _find_by_id(home, file_or_id)
    wanted = sorted({edge.after.dag_id for edge in collect_edges(dag.spec)})
    return DagWithUpstreams(dag, {one: siblings.get(one) or _find_upstream(home, one) for one in wanted})


def load_all_specs(home: Home) -> list[DagSpec]:
    """The DAGs of all files; of two with one id the first counts."""
    with _open_parse_pool(home) as pool:
        parsed = sorted(parse_all_files(pool, build_dag_processor_settings(home.cfg)), key=lambda one: one.path)
    found: dict[str, DagSpec] = {}
    for dag in (dag for one in parsed for dag in one.dags):
        found.setdefault(dag.spec.dag_id, dag.spec)
    return list(found.values())


def _load_file(home: Home, path: str, dag_id: str | None) -> dict[str, LocatedDag]:
    """The DAGs of the file by id, and the one that is meant as ""."""
    with _open_parse_pool(home) as pool:
        found = find_in_file(pool, path, dag_id)
    known = {one.spec.dag_id: LocatedDag(one.spec, found.parsed.path, "the same file") for one in found.parsed.dags}
    return {**known, "": known[found.dag.spec.dag_id]}


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
        found = find_by_id(pool, build_dag_processor_settings(home.cfg), dag_id, None)
    return LocatedDag(found.dag.spec, found.parsed.path, "the DAGs folder")


@contextmanager
def _open_parse_pool(home: Home) -> Iterator[ParsePool]:
    with closing(start_parse_pool(home.cfg, build_dag_processor_settings(home.cfg), create_environment_stamps(home.cfg), home.clock)) as pool:
        pool.handle_task_api = make_question_handler(home.cfg)
        yield pool
