"""Finds a DAG by file or id: files are parsed in child processes, as by the DAG processor."""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.spec import ParsedDag, ParsedFile
from gnomon.queries.report.listings.not_found import dag_not_found
from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.parse_pool import ParsePool
from gnomon.services.dagfiles.settings import DagProcessorSettings

_SHOWN = 10


@dataclass(frozen=True, slots=True)
class ParsedTarget:
    """A DAG and the parsed file that defines it."""

    parsed: ParsedFile
    dag: ParsedDag


def looks_like_file(file_or_id: str) -> bool:
    """Whether the argument is the path of a file rather than a DAG id: the file exists, or the text looks like a path."""
    return os.path.isfile(file_or_id) or file_or_id.endswith(".py") or os.sep in file_or_id


def find_in_file(pool: ParsePool, path: str, dag_id: str | None) -> ParsedTarget:
    """The DAG of a file; `dag_id` is needed when the file defines several.

    Raises UserError when the file is missing, cannot be loaded, or does not define exactly that DAG.
    """
    path = os.path.abspath(path)
    if not os.path.lexists(path) and ".zip" not in path:
        raise UserError(say("file_does_not_exist", file=path))
    (parsed,) = _parse_files(pool, [path], 1)
    by_id = {dag.spec.dag_id: dag for dag in parsed.dags}
    if dag_id is not None and dag_id in by_id:
        return ParsedTarget(parsed, by_id[dag_id])
    if dag_id is None and len(by_id) == 1:
        return ParsedTarget(parsed, parsed.dags[0])
    if parsed.failures:
        raise UserError(say("file_has_failures", error=_format_failures(parsed)))
    if not by_id:
        raise UserError(say("file_defines_no_dag", file=path))
    if dag_id is not None:
        raise dag_not_found(dag_id, by_id)
    shown = ", ".join(sorted(by_id)[:_SHOWN]) + (" ..." if len(by_id) > _SHOWN else "")
    raise UserError(say("file_defines_several_dags", file=path, total=len(by_id), names=shown))


def find_by_id(pool: ParsePool, settings: DagProcessorSettings, dag_id: str, known_file: str | None) -> ParsedTarget:
    """The DAG of that id, from the file that the database names, else from the first DAG file that defines it.

    Raises UserError when no file defines it, or when `known_file` cannot be loaded.
    """
    dag_ids: set[str] = set()
    failed: list[ParsedFile] = []
    for parsed in _parse_files(pool, _iter_files(settings, known_file), settings.processes):
        for dag in parsed.dags:
            if dag.spec.dag_id == dag_id:
                return ParsedTarget(parsed, dag)
            dag_ids.add(dag.spec.dag_id)
        if parsed.failures and parsed.path == known_file:
            raise UserError(say("file_has_failures", error=_format_failures(parsed)))
        failed += [parsed] if parsed.failures else []
    missing = dag_not_found(dag_id, dag_ids)
    more = None
    for parsed in reversed(failed[:_SHOWN]):
        more = say("file_could_not_be_loaded", error=_format_failures(parsed), more=more)
    raise UserError(say("dag_is_in_no_file_that_loads", why=missing.sentence, more=more))


def parse_all_files(pool: ParsePool, settings: DagProcessorSettings) -> Iterator[ParsedFile]:
    """Parse all DAG files; yields each as soon as it is parsed."""
    return _parse_files(pool, _iter_files(settings, None), settings.processes)


def _iter_files(settings: DagProcessorSettings, known_file: str | None) -> Iterator[str]:
    if known_file is not None:
        yield known_file
    discovery = FileDiscovery(regexp_ignore=settings.regexp_ignore, safe_mode=settings.safe_mode)
    for root in settings.roots:
        yield from (path for path in sorted(discovery.list_folder(root).files) if path != known_file)


def _parse_files(pool: ParsePool, paths: Iterable[str], at_once: int) -> Iterator[ParsedFile]:
    """Yield each parsed file as soon as it is done; at most `at_once` files are parsed at a time."""
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
