"""Checks of a home before services start in it. Each error says what is wrong, where, and what to do."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
from pathlib import Path

from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.network_address import describe_open_address, is_loopback
from gnomon.model.errors.product import ConfigurationError

FREE_BYTES_MIN = 16 * 1024 * 1024
"""With less free space a database and its logs cannot be created."""
_PROBE = b"\0" * 65536
LOCK_FILE = "standalone.lock"
_PROCESS = "process "
"""The text before the process id in the content of the lock file."""


def prepare_home(cfg: Config) -> bool:
    """Create the folders of the home; True when the home is new. Raises ConfigurationError when a folder cannot be written."""
    new = not (cfg.home / "dags").exists() and not (cfg.home / "logs").exists()
    for folder in dict.fromkeys((cfg.home, cfg.home / "dags", cfg.home / "plugins", cfg.logs_folder)):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(_describe_os_error("create the folder", folder, error)) from None
    for folder in dict.fromkeys((cfg.home, cfg.logs_folder)):
        _check_room(folder)
        _check_writing(folder)
    if not cfg.dags_folder.is_dir():
        where = cfg.source("core", "dags_folder")
        raise ConfigurationError(
            f"[core] dags_folder ({where}) is {cfg.dags_folder}, which is not a folder; create it or change the option"
        )
    return new


def find_readable_by_others(cfg: Config) -> list[str]:
    """A sentence for each of the home, its database, its key and its logs that other users of this machine can read."""
    paths = [cfg.home / "fernet.key", cfg.home / "gnomon.toml", cfg.logs_folder]
    kind, _, file = cfg.database_url.partition(":///")
    if kind.startswith("sqlite"):
        paths.append(Path(file.partition("?")[0]))
    if cfg.home.stat().st_mode & 0o005 == 0:
        paths = [path for path in paths if not path.is_relative_to(cfg.home)]  # nobody else can reach them
    modes = [(path, path.stat().st_mode & 0o777) for path in dict.fromkeys(paths) if path.exists()]
    return [
        f"other users of this machine can read {path} (mode {mode:o}); change that with `chmod {'700' if path.is_dir() else '600'} {path}`"
        for path, mode in modes
        if mode & 0o004
    ]


def _check_room(folder: Path) -> None:
    stats = os.statvfs(folder)
    free = stats.f_bavail * stats.f_frsize
    if free < FREE_BYTES_MIN:
        raise ConfigurationError(
            f"the disk of {folder} is full: {free // 1024} kB are free, Gnomon needs {FREE_BYTES_MIN // 1024} kB to start; "
            "free some space, or set GNOMON_HOME to another home"
        )


def _check_writing(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    try:
        try:
            probe.write_bytes(_PROBE)
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(_describe_os_error("write to", folder, error)) from None


def _describe_os_error(act: str, folder: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {folder} is full; free some space, or set GNOMON_HOME to another home"
    reason = "the file system is read-only" if error.errno == errno.EROFS else (error.strerror or str(error)).lower()
    return f"cannot {act} {folder}: {reason}; change its owner or rights, or set GNOMON_HOME to another home"


class HomeLock:
    """The lock of the one standalone of a home, held until it is closed or the process ends."""

    def __init__(self, cfg: Config) -> None:
        """Take the lock. Raises ConfigurationError, with the process id and address of the other standalone, when one holds it."""
        path = run_folder(cfg.home) / LOCK_FILE
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            other = os.pread(self._descriptor, 1000, 0).decode(errors="replace").strip()
            os.close(self._descriptor)
            raise ConfigurationError(
                f"another gnomon standalone runs in {cfg.home}"
                + (f" ({other})" if other else "")
                + "; stop it first, or set GNOMON_HOME to another home"
            ) from None

    def describe(self, text: str) -> None:
        """Set the text that a second standalone shows about this one."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def close(self) -> None:
        """Close the descriptor of the lock in this process."""
        os.close(self._descriptor)


def is_standalone_running(cfg: Config) -> bool:
    """Whether a standalone runs in this home. Reads the lock file only: taking the lock could keep a standalone from starting."""
    try:
        text = (run_folder(cfg.home) / LOCK_FILE).read_text(errors="replace")
    except OSError:
        return False
    pid = text.rpartition(_PROCESS)[2].strip()
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True


def open_listener(cfg: Config, port: int | None = None) -> socket.socket:
    """A listening socket for the api-server. Raises ConfigurationError when the address is in use or is not one of this machine."""
    host = cfg.text("api", "host")
    port_number = port if port is not None else cfg.integer("api", "port")
    remedy = "choose another port with --port or GNOMON__API__PORT"
    if port_number > 65535:
        raise ConfigurationError(f"[api] port is {port_number}; the largest port is 65535; {remedy}")
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port_number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise ConfigurationError(
            f"[api] host is {host!r}: {error.strerror}; write an address of this machine"
        ) from None
    if cfg.text("api", "auth") == "none" and not is_loopback(str(address[0])):
        raise ConfigurationError(describe_open_address(cfg.source("api", "auth"), host))
    listener = socket.socket(
        family, socket.SOCK_STREAM, socket.IPPROTO_TCP
    )  # with this number asyncio sends each part of an answer at once (TCP_NODELAY)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(64)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ConfigurationError(f"port {port_number} of {host} is in use by another program; {remedy}") from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise ConfigurationError(
                f"port {port_number} is not allowed for this user (ports below 1024 are reserved for root); {remedy}"
            ) from None
        raise ConfigurationError(
            f"cannot listen on {host} port {port_number}: {error.strerror}; check [api] host and port"
        ) from None
    return listener


def browser_address(listener: socket.socket) -> str:
    """The URL to open in a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::", "127.0.0.1", "::1"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
