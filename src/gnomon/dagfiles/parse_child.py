"""The parse child: imports one DAG file under limits, says what came of it, and ends."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from gnomon.clock import Clock
from gnomon.dagfiles import parse_failures
from gnomon.dagfiles.input_recorder import InputRecorder, installation_folders
from gnomon.dagfiles.inputs import EnvironmentStamps, collect_inputs, installation_input
from gnomon.dagfiles.parse_protocol import ParseChannel
from gnomon.errors import UserError
from gnomon.loading import archives, plugins
from gnomon.loading.class_loader import load_class
from gnomon.loading.dagfile import LoadedFile, load_dag_file
from gnomon.model.spec import FileInputs, ParsedDag, ParsedFile, ParseFailure
from gnomon.processes import fork_safety, memory
from gnomon.sdk.dags.dag_spec import build_dag_spec
from gnomon.sdk.runtime import channel

TIMEOUT_REPEAT_S = 1.0
"""A file that catches the time-out's exception is told again so much later."""


@dataclass(frozen=True, slots=True)
class ParseConditions:
    """Under what a file is parsed."""

    limits: parse_failures.ParseLimits
    stamp_of: EnvironmentStamps
    excluded_folders: tuple[str, ...]
    """Folders whose files are no inputs, besides the installation: logs, sockets, the database."""
    clock: Clock


def create_parse_conditions(limits: parse_failures.ParseLimits, facts: EnvironmentStamps, own_folders: tuple[str, ...], clock: Clock) -> ParseConditions:
    """The conditions for every child of one server."""
    return ParseConditions(limits, facts, (*installation_folders(), *own_folders), clock)


def parse_and_report(path: str, sock: socket.socket, under: ParseConditions) -> None:
    """The service was told the outcome of parsing `path`, unless the file ended this process; the caller ends it now."""
    pid = os.getpid()
    line = ParseChannel(sock)
    channel.install_channel(line)
    parsed = parse_file(path, line, under)
    if os.getpid() != pid:
        os._exit(0)  # the file forked while it was imported, and this is the copy
    line.send_outcome(parsed)


def parse_file(path: str, line: ParseChannel, under: ParseConditions) -> ParsedFile:
    """What importing `path` in this process gives. Never raises for what the file does."""
    began = under.clock.monotonic()
    before = fork_safety.list_open_sockets()
    recorder = InputRecorder(under.excluded_folders, under.stamp_of)
    recorder.add(archives.locate_source(path).file)
    installation, shape = installation_input(under.stamp_of)
    recorder.stamps[installation] = shape
    found: list[ParsedDag] = []
    wrong: list[ParseFailure] = []
    told: tuple[str, ...] = ()
    try:
        with _apply_limits(under.limits):
            recorder.start()
            loaded = _import_file(path)
            if loaded is not None:
                recorder.has_untracked_inputs |= _build_all(path, loaded, found, wrong)  # it may import the triggers that tasks start from
            recorder.stop()
            if loaded is not None:
                told = (*loaded.warnings, *(told for dag in loaded.dags.values() for told in dag.warnings))
    except BaseException as error:
        recorder.stop()
        wrong = [*wrong, parse_failures.failure_of_import(path, error, limits=under.limits)]
        found = []
    inputs = _collect_inputs(recorder, line, under.stamp_of, wrong, before)
    return ParsedFile(
        path=path, inputs=inputs, dags=tuple(found), failures=tuple(wrong), warnings=told,
        duration_s=under.clock.monotonic() - began,
    )


def _import_file(path: str) -> LoadedFile | None:
    """None for a plugin: it can be imported."""
    if plugins.is_plugin(path):
        plugins.check_plugin_file(path)
        return None
    return load_dag_file(path)


def _build_all(path: str, loaded: LoadedFile, found: list[ParsedDag], wrong: list[ParseFailure]) -> bool:
    """Whether something was missing that may come without a change of this file."""
    is_missing = False
    for dag_id, dag in loaded.dags.items():
        try:
            found.append(build_dag_spec(dag, path, load_class))
        except (MemoryError, parse_failures.ImportTimeout):
            raise
        except Exception as error:
            wrong.append(parse_failures.failure_of_dag(path, dag_id, error))
            is_missing = is_missing or isinstance(error.__cause__, UserError)
    wrong += [parse_failures.failure_of_duplicate_dag(path, dag_id) for dag_id in loaded.repeated]
    return is_missing


def _collect_inputs(
    recorder: InputRecorder, line: ParseChannel, facts: EnvironmentStamps, wrong: list[ParseFailure], before: fork_safety.OpenSockets
) -> FileInputs:
    further = recorder.has_untracked_inputs or line.has_asked or any(one.kind in parse_failures.REPEATABLE for one in wrong)
    return collect_inputs(recorder.stamps, facts, looked_further=further, fresh=fork_safety.find_fork_obstacle(before), answers=line.answers_digest)


@contextlib.contextmanager
def _apply_limits(limits: parse_failures.ParseLimits) -> Iterator[None]:
    """Meanwhile the process ends its import by an exception when it takes too long or too much."""
    before = None if limits.memory_bytes is None else memory.limit_memory(limits.memory_bytes)
    running = True

    def too_long(*_: object) -> None:
        if running:
            raise parse_failures.ImportTimeout

    signal.signal(signal.SIGALRM, too_long)
    if limits.import_timeout_s is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.import_timeout_s, TIMEOUT_REPEAT_S)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        if before is not None:
            memory.restore_memory_limit(before)
