"""The command line as another process, without the quarter of a second of processor time that a new interpreter needs to import it.

The first command of this process starts a server that has imported the modules of commands; each command is a fork of it, with
the environment, folder and output of its own. A command ends as an interpreter ends, without tearing down its modules, and its
exit code is that of its process.
`tests/unit/cli/test_main.py` and `tests/acceptance/test_cli_standalone.py` start `python -m gnomon` itself.
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
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import IO, NoReturn

from tests.patience import PATIENCE_S

_READ_LATE = ("GNOMON_", "AIRFLOW_", "PYTEST_CURRENT_TEST")
_READ_EARLY = "GNOMON_TEST_"
"""Variables that nothing reads before a command begins, but for those of modules that `sitecustomize` of a test brings."""
_SERVICES = frozenset({"api-server", "dag-processor", "scheduler", "standalone", "triggerer", "worker"})
"""Commands whose processes are looked for by command line and environment, which a fork has from its server."""
_PACKAGES = ("gnomon.actions", "gnomon.cli", "gnomon.operations", "gnomon.report", "gnomon.store", "gnomon.timetable_host")
"""What the server imports beforehand, with all that these packages import."""


def run_command(*words: str, env: Mapping[str, str], timeout_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run `gnomon` with these words to its end, in this folder and with nothing on standard input.

    Raises subprocess.TimeoutExpired, and kills it, when it has not ended after `timeout_s` seconds.
    """
    if words[:1] and words[0] in _SERVICES:
        return _run_interpreter(words, env, timeout_s)
    return _find_server(_early(env)).run(words, env, timeout_s)


def _run_interpreter(words: tuple[str, ...], env: Mapping[str, str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gnomon", *words]
    return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout_s, check=False)


def _early(env: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in env.items() if name.startswith(_READ_EARLY) or not name.startswith(_READ_LATE)}


class _Server:
    """The process that forks, in this environment, and our end of its socket."""

    def __init__(self, environ: dict[str, str]) -> None:
        self.environ = environ
        self.owner = os.getpid()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())], env=environ, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[1],
            )

    def run(self, words: tuple[str, ...], env: Mapping[str, str], timeout_s: float) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            asked.write(json.dumps([words, dict(env), os.getcwd()]).encode())
            asked.seek(0)
            reading, writing = os.pipe()
            with os.fdopen(reading, "rb", buffering=0) as told:  # `select` sees all that is unread
                try:
                    socket.send_fds(self._socket, [b"!"], [asked.fileno(), out.fileno(), err.fileno(), writing])
                finally:
                    os.close(writing)
                code = _wait(told, words, timeout_s)
            return subprocess.CompletedProcess(["gnomon", *words], code, _text(out), _text(err))

    @property
    def is_alive(self) -> bool:
        """Whether it can run further commands: something may have killed it."""
        return self._process.poll() is None

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # forks of this process may have the socket too
        self._socket.close()
        self._process.wait(PATIENCE_S)


_servers: list[_Server] = []
"""Those of the two environments that were used last."""


def _find_server(environ: dict[str, str]) -> _Server:
    _servers[:] = [one for one in _servers if one.owner == os.getpid() and one.is_alive]  # a fork of this process has its own
    found = next((one for one in _servers if one.environ == environ), None)
    if found is None:
        found = _Server(environ)
    else:
        _servers.remove(found)
    _servers.append(found)
    while len(_servers) > 2:
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


def _serve(control: socket.socket) -> None:
    """Fork for each request until the asking process closes its end; returns in the process of a command, which is to run it."""
    for package in _PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(module.name)
    importlib.import_module("difflib")  # click imports it late, with each first option
    gc.collect()
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


def _become_command(asked: int, out: int, err: int, told: int) -> None:
    """Return in a child that has the arguments, environment, folder and output of the command; this process tells how it ends."""
    pid = os.fork()
    if pid:
        _tell_end(pid, told)
    os.write(told, f"{os.getpid()}\n".encode())
    os.close(told)
    with os.fdopen(asked, "rb") as file:
        words, env, folder = json.load(file)
    for source, target in ((out, 1), (err, 2)):
        os.dup2(source, target)
        os.close(source)
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
        _serve(socket.socket(fileno=int(sys.argv[1])))
    except KeyboardInterrupt:
        sys.exit(0)
    from gnomon.cli.main import main

    _end(main())
