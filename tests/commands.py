"""The command line as another process, without the processor time that a new interpreter needs to import it: a quarter of a second for a
command, more than one second for `gnomon standalone`.

The first command of this process starts a server that has imported the modules of commands; each command is a fork of it, with
the environment, folder and output of its own. A command ends as an interpreter ends, without tearing down its modules, and its
exit code is that of its process. Services have a server of their own.
`tests/unit/entry/cli/test_main.py`, `tests/acceptance/test_cli_standalone.py`, `tests/acceptance/test_standalone.py` and `tests/chaos` start `python -m gnomon` itself.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from io import FileIO
from pathlib import Path
from typing import IO, Any, NoReturn

from setproctitle import setproctitle
from tests.patience import PATIENCE_S

_READ_LATE = ("GNOMON_", "AIRFLOW_", "PYTEST_CURRENT_TEST")
_READ_EARLY = "GNOMON_TEST_"
"""Variables that nothing reads before a command begins, but for those of modules that `sitecustomize` of a test brings."""
_SERVICES = frozenset({"api-server", "dag-processor", "scheduler", "standalone", "triggerer", "worker"})
"""Commands whose processes are looked for by command line and environment, which a fork has from its server."""
_OF_COMMANDS = (
    "gnomon.changes.actions",
    "gnomon.entry.cli",
    "gnomon.changes.operations",
    "gnomon.queries.report",
    "gnomon.storage.store",
    "gnomon.author_code.timetable_host",
)
"""What the server of commands imports beforehand, with all that these packages import."""
_OF_SERVICES = (
    "gnomon.api.service",
    "gnomon.entry.app.monitor_wiring",
    "gnomon.entry.app.scheduler_wiring",
    "gnomon.entry.app.standalone",
    "gnomon.entry.app.triggerer_wiring",
    "gnomon.entry.cli.services",
    "gnomon.services.dagfiles.service",
    "gnomon.storage.store",
    "gnomon.services.worker.service",
)
"""What a server of services imports beforehand: the modules that `gnomon standalone` imports in its processes."""
_OF_CELERY = (
    "celery.apps.worker",
    "celery.concurrency.solo",
    "gnomon.services.worker.remote.lasting_consumer",
    "gnomon.services.worker.remote.service",
    "kombu.transport.pyamqp",
    "kombu.transport.redis",
)
_OF_KUBERNETES = (
    "gnomon.entry.app.kubernetes_settings",
    "gnomon.services.executors.kubernetes.executor",
    "gnomon.services.executors.kubernetes.pod_controller",
    "gnomon.services.executors.kubernetes.pod_hook",
    "kubernetes.client",
    "kubernetes.config",
)
_OF_PODS = ("gnomon.entry.app.services", "gnomon.entry.cli.services", "gnomon.services.worker.remote.pod_service")


def run_command(*words: str, env: Mapping[str, str], timeout_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run `gnomon` with these words to its end, in this folder and with nothing on standard input.

    Raises subprocess.TimeoutExpired, and kills it, when it has not ended after `timeout_s` seconds.
    """
    if words[:1] and words[0] in _SERVICES:
        return _run_interpreter(words, env, timeout_s)
    return _find_server(_early(env), _OF_COMMANDS).run(words, env, timeout_s)


def start_command(*words: str, env: Mapping[str, str], output: IO[Any], cwd: Path) -> StartedCommand:
    """Start `gnomon` with these words in a session of its own; `output`: where it writes what it prints and its errors, as a terminal is."""
    return _find_server(_early(env), _OF_COMMANDS).start(words, env, output, output, cwd)


def start_service(
    *words: str,
    env: Mapping[str, str],
    stdout: IO[Any] | int,
    stderr: IO[Any],
    cwd: Path | None = None,
) -> StartedCommand | subprocess.Popen[str]:
    """Start `gnomon` with these words in a session of its own; the arguments are those of `subprocess.Popen`.

    It is a new interpreter when `env` differs from the environment of this process in a variable that Python reads first.
    """
    if _of_python(env) == _of_python(os.environ):
        return _find_server(_early(os.environ), _packages(words, env)).start(words, env, stdout, stderr, cwd)
    return start_interpreter(*words, env=env, stdout=stdout, stderr=stderr, cwd=cwd)


def start_interpreter(
    *words: str, env: Mapping[str, str], stdout: IO[Any] | int, stderr: IO[Any], cwd: Path | None = None
) -> subprocess.Popen[str]:
    """The same as `python -m gnomon`."""
    command = [sys.executable, "-m", "gnomon", *words]
    return subprocess.Popen(
        command,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
        text=True,
        start_new_session=True,
    )


def _of_python(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in env.items()
        if name.startswith("PYTHON") and name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    }


def _packages(words: tuple[str, ...], env: Mapping[str, str]) -> tuple[str, ...]:
    executor = env.get("GNOMON__CORE__EXECUTOR", "")
    if words[0] == "kubernetes":
        return _OF_PODS
    if words[0] == "celery" or "CeleryExecutor" in executor:
        return (*_OF_SERVICES, *_OF_CELERY)
    return (*_OF_SERVICES, *_OF_KUBERNETES) if "KubernetesExecutor" in executor else _OF_SERVICES


def _run_interpreter(
    words: tuple[str, ...], env: Mapping[str, str], timeout_s: float
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gnomon", *words]
    return subprocess.run(
        command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, check=False
    )


def _early(env: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value for name, value in env.items() if name.startswith(_READ_EARLY) or not name.startswith(_READ_LATE)
    }


class StartedCommand:
    """A command that runs: what tests use of `subprocess.Popen`."""

    def __init__(self, words: tuple[str, ...], told: FileIO, stdout: IO[str] | None) -> None:
        self._words = words
        self._told = told
        self._reading = threading.Lock()
        self.stdout = stdout
        self.pid = int(told.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._read_code(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code. Raises subprocess.TimeoutExpired when it has not ended after so many seconds."""
        code = self._read_code(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(["gnomon", *self._words], timeout or 0.0)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def _read_code(self, timeout_s: float | None) -> int | None:
        with self._reading:
            if self.returncode is None and select.select([self._told], [], [], timeout_s)[0]:
                self.returncode = int(self._told.readline())
                self._told.close()
            return self.returncode


class _Server:
    """The process that forks, in this environment and with these packages, and our end of its socket."""

    def __init__(self, environ: dict[str, str], packages: tuple[str, ...]) -> None:
        self.environ = environ
        self.packages = packages
        self.owner = os.getpid()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno()), *packages],
                env=environ,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[1],
            )

    def run(self, words: tuple[str, ...], env: Mapping[str, str], timeout_s: float) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            with self._fork(words, env, out, err, leads_session=False) as told:
                code = _wait(told, words, timeout_s)
            return subprocess.CompletedProcess(["gnomon", *words], code, _text(out), _text(err))

    def start(
        self, words: tuple[str, ...], env: Mapping[str, str], out: IO[Any] | int, err: IO[Any], folder: Path | None
    ) -> StartedCommand:
        """`out`: a file, or subprocess.PIPE."""
        if not isinstance(out, int):
            return StartedCommand(words, self._fork(words, env, out, err, folder, leads_session=True), None)
        reading, writing = os.pipe()
        with os.fdopen(writing, "wb") as end:
            told = self._fork(words, env, end, err, folder, leads_session=True)
        return StartedCommand(words, told, os.fdopen(reading))

    def _fork(
        self,
        words: tuple[str, ...],
        env: Mapping[str, str],
        out: IO[Any],
        err: IO[Any],
        folder: Path | None = None,
        *,
        leads_session: bool,
    ) -> FileIO:
        """Have a command run; returns the pipe that says its process id and its exit code, a line each."""
        reading, writing = os.pipe()
        told = FileIO(reading)  # without a buffer: `select` sees all that is unread
        with tempfile.TemporaryFile() as asked, os.fdopen(writing, "wb") as telling:
            asked.write(json.dumps([words, dict(env), str(folder or Path.cwd()), leads_session]).encode())
            asked.seek(0)
            socket.send_fds(self._socket, [b"!"], [asked.fileno(), out.fileno(), err.fileno(), telling.fileno()])
        return told

    @property
    def is_alive(self) -> bool:
        """Whether it can run further commands: something may have killed it."""
        return self._process.poll() is None

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # forks of this process may have the socket too
        self._socket.close()
        self._process.wait(PATIENCE_S)


_servers: list[_Server] = []
"""The four that were used last."""
_finding = threading.Lock()


def _find_server(environ: dict[str, str], packages: tuple[str, ...]) -> _Server:
    with _finding:
        _servers[:] = [
            one for one in _servers if one.owner == os.getpid() and one.is_alive
        ]  # a fork of this process has its own
        found = next((one for one in _servers if (one.environ, one.packages) == (environ, packages)), None)
        if found is None:
            found = _Server(environ, packages)
        else:
            _servers.remove(found)
        _servers.append(found)
        while len(_servers) > 4:
            _servers.pop(0).close()
        return found


@atexit.register
def _close_servers() -> None:
    for one in _servers:
        if one.owner == os.getpid():
            one.close()


def _wait(told: FileIO, words: tuple[str, ...], timeout_s: float) -> int:
    """The exit code of the command, whose process writes its id and its parent the code."""
    ends_at = time.monotonic() + timeout_s
    pid = int(told.readline())
    if not select.select([told], [], [], max(0.0, ends_at - time.monotonic()))[0]:
        os.kill(pid, signal.SIGKILL)
        raise subprocess.TimeoutExpired(["gnomon", *words], timeout_s)
    return int(told.readline())


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _serve(control: socket.socket, packages: Sequence[str]) -> None:
    """Fork for each request until the asking process closes its end; returns in the process of a command, which is to run it."""
    gc.disable()
    for package in packages:
        for module in pkgutil.walk_packages(getattr(importlib.import_module(package), "__path__", []), f"{package}."):
            importlib.import_module(module.name)
    importlib.import_module("difflib")  # click imports it late, with each first option
    if idle_process := sys.modules.get("gnomon.entry.projection.idle_process"):
        vars(idle_process)["become_idle"] = _stay  # a projection would wait until no test wants the processor
    setproctitle(
        "server of commands of tests"
    )  # the first call looks for the arguments and the environment of the process, which forks replace
    gc.enable()
    gc.freeze()
    running: set[int] = set()
    while True:
        _, files, _, _ = socket.recv_fds(control, 1, 4)
        running -= {pid for pid in running if os.waitpid(pid, os.WNOHANG)[0]}
        if not files:
            sys.exit(0)
        parent = os.fork()
        if parent == 0:
            control.close()
            _become_command(*files)
            return
        running.add(parent)
        for file in files:
            os.close(file)


def _stay() -> None:
    """Leave the process the priority that it has."""


def _become_command(asked: int, out: int, err: int, told: int) -> None:
    """Return in a child that has the arguments, environment, folder and output of the command; this process tells how it ends."""
    pid = os.fork()
    if pid:
        _tell_end(pid, told)
    os.write(told, f"{os.getpid()}\n".encode())
    os.close(told)
    with os.fdopen(asked, "rb") as file:
        words, env, folder, leads_session = json.load(file)
    if leads_session:
        os.setsid()
    for source, target in ((out, 1), (err, 2)):
        os.dup2(source, target)
        os.close(source)
    if os.isatty(1):  # the stream of the server knows its own file, where one can seek
        sys.stdout, sys.stderr = (
            open(file.fileno(), "w", encoding=file.encoding, errors=file.errors, closefd=False)  # noqa: SIM115 - as long as the process
            for file in (sys.stdout, sys.stderr)
        )
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv = ["gnomon", *words]


def _tell_end(pid: int, told: int) -> NoReturn:
    try:
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.write(told, f"{code}\n".encode())
    finally:
        os._exit(0)


def _end(code: int) -> NoReturn:
    """End as an interpreter ends, with all its threads and handlers, but for its memory: to give that back object by object is half of the time of a command."""
    threading._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


if __name__ == "__main__":
    try:
        _serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
    except KeyboardInterrupt:
        sys.exit(0)
    from gnomon.entry.cli.main import main

    _end(main())
