"""Which DAG a trial runs: parsed in a child, as the dag-processor does it."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gnomon.dagfiles.discovery import FileDiscovery
from gnomon.dagfiles.parse_pool import ParsePool
from gnomon.dagfiles.settings import DagProcessorSettings
from gnomon.errors.product import UserError
from gnomon.model.spec import ParsedDag, ParsedFile
from gnomon.report.listings.not_found import dag_not_found

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ParsedTarget:
    """A DAG and the file that defines it."""

    parsed: ParsedFile
    dag: ParsedDag


def looks_like_file(file_or_id: str) -> bool:
    """Whether a person means a file: it exists, or can be nothing else."""
    return os.path.isfile(file_or_id) or file_or_id.endswith(".py") or os.sep in file_or_id


def find_in_file(pool: ParsePool, path: str, dag_id: str | None) -> ParsedTarget:
    """The DAG of a file; `dag_id` says which when it defines several. UserMistake says what is wrong with it."""
    path = os.path.abspath(path)
    if not os.path.lexists(path) and ".zip" not in path:
        raise UserError(f"there is no file {path}")
    (parsed,) = _parse_files(pool, [path], 1)
    by_id = {dag.spec.dag_id: dag for dag in parsed.dags}
    if dag_id is not None and dag_id in by_id:
        return ParsedTarget(parsed, by_id[dag_id])
    if dag_id is None and len(by_id) == 1:
        return ParsedTarget(parsed, parsed.dags[0])
    if parsed.failures:
        raise UserError(_format_failures(parsed))
    if not by_id:
        raise UserError(f"{path} defines no DAG")
    if dag_id is not None:
        raise dag_not_found(dag_id, by_id)
    shown = ", ".join(sorted(by_id)[:_SHOWN]) + (" ..." if len(by_id) > _SHOWN else "")
    raise UserError(f"{path} defines {len(by_id)} DAGs; say which with --dag-id: {shown}")


def find_by_id(pool: ParsePool, settings: DagProcessorSettings, dag_id: str, known_file: str | None) -> ParsedTarget:
    """The DAG of that id: in the file that the database names, else in the first DAG file that defines it."""
    seen: set[str] = set()
    failed: list[ParsedFile] = []
    for parsed in _parse_files(pool, _iter_files(settings, known_file), settings.processes):
        for dag in parsed.dags:
            if dag.spec.dag_id == dag_id:
                return ParsedTarget(parsed, dag)
            seen.add(dag.spec.dag_id)
        if parsed.failures and parsed.path == known_file:
            raise UserError(_format_failures(parsed))
        failed += [parsed] if parsed.failures else []
    missing = dag_not_found(dag_id, seen)
    raise UserError("\n".join([str(missing), *(f"could not be loaded: {_format_failures(parsed)}" for parsed in failed[:_SHOWN])]))


def parse_all_files(pool: ParsePool, settings: DagProcessorSettings) -> Iterator[ParsedFile]:
    """All DAG files, parsed, as they come."""
    return _parse_files(pool, _iter_files(settings, None), settings.processes)


def _iter_files(settings: DagProcessorSettings, known_file: str | None) -> Iterator[str]:
    if known_file is not None:
        yield known_file
    discovery = FileDiscovery(regexp_ignore=settings.regexp_ignore, safe_mode=settings.safe_mode)
    for root in settings.roots:
        yield from (path for path in sorted(discovery.list_folder(root).files) if path != known_file)


def _parse_files(pool: ParsePool, paths: Iterable[str], at_once: int) -> Iterator[ParsedFile]:
    """The outcome of each file, as it comes; at most `at_once` are being parsed."""
    waiting = iter(paths)
    while True:
        while len(pool.running()) < at_once and (path := next(waiting, None)) is not None:
            pool.start(path)
        if not pool.running():
            return
        select.select([pool], [], [])
        yield from pool.poll()


def _format_failures(parsed: ParsedFile) -> str:
    return "\n".join(failure.message for failure in parsed.failures)
