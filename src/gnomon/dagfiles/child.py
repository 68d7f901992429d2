"""The parse child: imports one DAG file under limits, says what came of it, and ends."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from gnomon.clock import Clock
from gnomon.dagfiles import failures
from gnomon.dagfiles.audit import Recorder, installation_folders
from gnomon.dagfiles.channel import ParseChannel
from gnomon.dagfiles.facts import KnownFacts, mark
from gnomon.dagfiles.inputs import take
from gnomon.errors import UserMistake
from gnomon.loading import plugins, zips
from gnomon.loading.classes import load_class
from gnomon.loading.dagfile import LoadedFile, load
from gnomon.model.spec import DagParsed, FileInputs, ParsedFile, ParseFailure
from gnomon.processes import kernel, memory
from gnomon.runner import forking
from gnomon.sdk import channel
from gnomon.sdk.build import build

REMIND_S = 1.0
"""A file that catches the time-out's exception is told again so much later."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what a file is parsed."""

    limits: failures.Limits
    facts: KnownFacts
    not_inputs: tuple[str, ...]
    """Folders whose files are no inputs, besides the installation: logs, sockets, the database."""
    clock: Clock


def conditions(limits: failures.Limits, facts: KnownFacts, own_folders: tuple[str, ...], clock: Clock) -> Conditions:
    """The conditions for every child of one server."""
    return Conditions(limits, facts, (*installation_folders(), *own_folders), clock)


def run(path: str, sock: socket.socket, under: Conditions) -> None:
    """The service was told the outcome of parsing `path`, unless the file ended this process; the caller ends it now."""
    pid = os.getpid()
    line = ParseChannel(sock)
    channel.install(line)
    parsed = parse(path, line, under)
    if os.getpid() != pid:
        os._exit(0)  # the file forked while it was imported, and this is the copy
    line.finish(parsed)


def parse(path: str, line: ParseChannel, under: Conditions) -> ParsedFile:
    """What importing `path` in this process gives. Never raises for what the file does."""
    began = under.clock.monotonic()
    before = forking.opened()
    recorder = Recorder(under.not_inputs, under.facts)
    recorder.add(zips.place_of(path).file)
    installation, shape = mark(under.facts)
    recorder.stamped[installation] = shape
    found: list[DagParsed] = []
    wrong: list[ParseFailure] = []
    told: tuple[str, ...] = ()
    try:
        with _limits(under.limits):
            recorder.start()
            loaded = _imported(path)
            if loaded is not None:
                recorder.looked_further |= _build_all(path, loaded, found, wrong)  # it may import the triggers that tasks start from
            recorder.stop()
            if loaded is not None:
                told = (*loaded.warnings, *(told for dag in loaded.dags.values() for told in dag.warnings))
    except BaseException as error:
        recorder.stop()
        wrong = [*wrong, failures.of_import(path, error, limits=under.limits)]
        found = []
    inputs = _inputs(recorder, line, under.facts, wrong, before)
    return ParsedFile(
        path=path, inputs=inputs, dags=tuple(found), failures=tuple(wrong), warnings=told,
        duration_s=under.clock.monotonic() - began,
    )


def _imported(path: str) -> LoadedFile | None:
    """None for a plugin: it can be imported."""
    if plugins.is_plugin(path):
        plugins.check(path)
        return None
    return load(path)


def _build_all(path: str, loaded: LoadedFile, found: list[DagParsed], wrong: list[ParseFailure]) -> bool:
    """Whether something was missing that may come without a change of this file."""
    is_missing = False
    for dag_id, dag in loaded.dags.items():
        try:
            found.append(build(dag, path, load_class))
        except (MemoryError, failures.ImportTimeoutReached):
            raise
        except Exception as error:
            wrong.append(failures.of_dag(path, dag_id, error))
            is_missing = is_missing or isinstance(error.__cause__, UserMistake)
    wrong += [failures.of_repeated(path, dag_id) for dag_id in loaded.repeated]
    return is_missing


def _inputs(
    recorder: Recorder, line: ParseChannel, facts: KnownFacts, wrong: list[ParseFailure], before: forking.Opened
) -> FileInputs:
    further = recorder.looked_further or line.asked or any(one.kind in failures.REPEATABLE for one in wrong)
    return take(recorder.stamped, facts, looked_further=further, fresh=forking.reason_against_fork(before), answers=line.answers)


@contextlib.contextmanager
def _limits(limits: failures.Limits) -> Iterator[None]:
    """Meanwhile the process ends its import by an exception when it takes too long or too much."""
    before = None if limits.memory_bytes is None else memory.limit(limits.memory_bytes)
    running = True

    def too_long(*_: object) -> None:
        if running:
            raise failures.ImportTimeoutReached

    signal.signal(signal.SIGALRM, too_long)
    if limits.import_s is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.import_s, REMIND_S)
    try:
        yield
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        if before is not None:
            memory.restore(before)


def settle_in(output: int, server: int) -> None:
    """This fork is a process of its own: own session, default signals, output to `output`, crashes explained there.

    It ends when `server`, the process that forked it, does.
    """
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    kernel.die_with_parent(signal.SIGKILL)
    if os.getppid() != server:
        os._exit(1)
    kernel.raise_oom_score(kernel.ASKED_OOM_SCORE)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.stdout = sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), errors="backslashreplace", write_through=True)
    faulthandler.enable(file=2, all_threads=False)
    gc.disable()
