"""The parse child: imports one DAG file under limits, reports the outcome, and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gnomon.author_code.loading import archives, cluster_policies, listeners, plugin_links, plugins
from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.loading.dagfile import LoadedFile, load_dag_file
from gnomon.author_code.processes import author_forks, fork_safety, memory
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.dags.executor_checks import check_executors
from gnomon.authoring.sdk.tasks.operator_links import NO_PLUGIN_LINKS
from gnomon.ground.clock import Clock
from gnomon.ground.config import current_config, read_executors
from gnomon.model.errors import UserError
from gnomon.model.sentences.stored_sentences import StoredText, store_sentence
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile, ParseFailure
from gnomon.services.dagfiles import parse_failures
from gnomon.services.dagfiles.input_recorder import InputRecorder, installation_folders
from gnomon.services.dagfiles.inputs import EnvironmentStamps, collect_inputs, installation_input
from gnomon.services.dagfiles.parse_protocol import ParseChannel

TIMEOUT_REPEAT_S = 1.0
"""The time-out's exception is raised again at this interval while a file catches it."""


@dataclass(frozen=True, slots=True)
class ParseConditions:
    """Limits and settings under which a file is parsed."""

    limits: parse_failures.ParseLimits
    stamp_of: EnvironmentStamps
    excluded_folders: tuple[str, ...]
    """Folders whose files are not inputs, besides the installation: logs, sockets, the database."""
    clock: Clock


def create_parse_conditions(
    limits: parse_failures.ParseLimits, facts: EnvironmentStamps, own_folders: tuple[str, ...], clock: Clock
) -> ParseConditions:
    """The conditions for every child of one server."""
    return ParseConditions(limits, facts, (*installation_folders(), *own_folders), clock)


def parse_and_report(path: str, sock: socket.socket, conditions: ParseConditions) -> None:
    """Parse `path` and send the outcome to the dag-processor, unless the file ends this process; the caller then ends it."""
    author_forks.claim_process()
    parse_channel = ParseChannel(sock)
    channel.install_channel(parse_channel)
    parsed = parse_file(path, parse_channel, conditions)
    parse_channel.send_outcome(parsed)


def parse_file(path: str, parse_channel: ParseChannel, conditions: ParseConditions) -> ParsedFile:
    """The outcome of importing `path` in this process. Never raises for what the file does."""
    started_at = conditions.clock.monotonic()
    before = fork_safety.list_open_sockets()
    recorder = InputRecorder(conditions.excluded_folders, conditions.stamp_of)
    recorder.add(archives.locate_source(path).file)
    installation, shape = installation_input(conditions.stamp_of)
    recorder.stamps[installation] = shape
    dags: list[ParsedDag] = []
    failures: list[ParseFailure] = []
    warnings: tuple[StoredText, ...] = ()
    limits = conditions.limits
    source = _read_source(path)
    try:
        with _apply_limits(limits) as set_timeout:
            recorder.start()
            own_timeout_s = cluster_policies.find_import_timeout(path)
            if own_timeout_s is not None:
                limits = limits.with_import_timeout(own_timeout_s or None)
                set_timeout(limits.import_timeout_s)
            loaded = _import_file(path)
            author_forks.end_fork()
            if loaded is not None:
                recorder.has_untracked_inputs |= _build_all(
                    path, loaded, recorder, dags, failures
                )  # may import the triggers of tasks that start deferred
            recorder.stop()
            if loaded is not None:
                warnings = (
                    *loaded.warnings,
                    *(store_sentence(warning) for dag in loaded.dags.values() for warning in dag.warning_sentences),
                )
    except BaseException as error:
        author_forks.end_fork(error)
        recorder.stop()
        failures = [*failures, parse_failures.failure_of_import(path, error, limits=limits)]
        dags = []
    inputs = _collect_inputs(recorder, parse_channel, conditions.stamp_of, failures, before)
    return ParsedFile(
        path=path,
        inputs=inputs,
        dags=tuple(dags),
        failures=tuple(failures),
        warnings=warnings,
        duration_s=conditions.clock.monotonic() - started_at,
        source=source,
    )


SOURCE_BYTES_MAX = 1_000_000
"""The source of a larger file is not kept with the versions of its DAGs."""


def _read_source(path: str) -> bytes:
    """The compressed text of the file; empty for one that is too large, or that cannot be read, which the import will say."""
    try:
        return zlib.compress(archives.read_source(path, SOURCE_BYTES_MAX))
    except OSError:
        return b""


def _import_file(path: str) -> LoadedFile | None:
    """The loaded file; None for a plugin, which is only checked to be importable."""
    if plugins.is_plugin(path):
        plugins.check_plugin_file(path)
        return None
    return load_dag_file(path)


def _build_all(
    path: str, loaded: LoadedFile, recorder: InputRecorder, dags: list[ParsedDag], failures: list[ParseFailure]
) -> bool:
    """Add the spec or the failure of each DAG; True when something was missing that may appear without a change of this file."""
    is_missing = False
    called = listeners.describe_listeners() | cluster_policies.describe_policies() if loaded.dags else {}
    links = plugin_links.get_plugin_links() if loaded.dags else NO_PLUGIN_LINKS
    folder = os.path.abspath(current_config().plugins_folder)
    used = (
        listeners.list_listener_files(folder)
        if called.get("run_listeners") or called.get("calls_task_listeners")
        else []
    )
    for file in {*used, *(plugin_links.list_link_files(folder) if links else ())}:
        recorder.add(file)
    for dag_id, dag in loaded.dags.items():
        try:
            check_executors(dag, read_executors(current_config()))
            dags.append(build_dag_spec(dag, path, load_class, called, links))
        except (MemoryError, parse_failures.ImportTimeout):
            raise
        except Exception as error:
            failures.append(parse_failures.failure_of_dag(path, dag_id, error))
            is_missing = is_missing or isinstance(error.__cause__, UserError)
    failures += [parse_failures.failure_of_dag(path, dag_id, error) for dag_id, error in loaded.refused.items()]
    failures += [parse_failures.failure_of_duplicate_dag(path, dag_id) for dag_id in loaded.repeated]
    return is_missing


def _collect_inputs(
    recorder: InputRecorder,
    parse_channel: ParseChannel,
    facts: EnvironmentStamps,
    failures: list[ParseFailure],
    before: fork_safety.OpenSockets,
) -> FileInputs:
    further = (
        recorder.has_untracked_inputs
        or parse_channel.has_requests
        or any(failure.kind in parse_failures.REPEATABLE for failure in failures)
    )
    return collect_inputs(
        recorder.stamps,
        facts,
        has_volatile_import=further,
        fresh=fork_safety.find_fork_obstacle(before),
        answers=parse_channel.answers_digest,
    )


@contextlib.contextmanager
def _apply_limits(limits: parse_failures.ParseLimits) -> Iterator[Callable[[float | None], None]]:
    """Within the block an import that takes too long or too much memory is ended by an exception.

    Yields a function that sets another limit in seconds, from now on; None: none.
    """
    before = None if limits.memory_bytes is None else memory.limit_memory(limits.memory_bytes)
    running = True

    def on_timeout(*_: object) -> None:
        if running:
            raise parse_failures.ImportTimeout

    def set_timeout(seconds: float | None) -> None:
        signal.setitimer(signal.ITIMER_REAL, seconds or 0, TIMEOUT_REPEAT_S)

    author_forks.install_handler(signal.SIGALRM, on_timeout)
    set_timeout(limits.import_timeout_s)
    try:
        yield set_timeout
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        if before is not None:
            memory.restore_memory_limit(before)
