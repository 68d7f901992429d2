"""Checks of a home before services start in it. Each error says what is wrong, where, and what to do."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
from pathlib import Path

from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.network_address import is_loopback
from gnomon.model.errors.product import ConfigurationError
from gnomon.model.sentences import Sentence, quote, say

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
            raise ConfigurationError(_say_os_error("folder_cannot_be_made", folder, error)) from None
    for folder in dict.fromkeys((cfg.home, cfg.logs_folder)):
        _check_room(folder)
        _check_writing(folder)
    if not cfg.dags_folder.is_dir():
        where = cfg.source("core", "dags_folder")
        raise ConfigurationError(say("dags_folder_is_no_folder", source=where, file=str(cfg.dags_folder)))
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
            say("disk_has_little_space", file=str(folder), free=free // 1024, needed=FREE_BYTES_MIN // 1024)
        )


def _check_writing(folder: Path) -> None:
    probe = folder / f".probe-{os.getpid()}"
    try:
        try:
            probe.write_bytes(_PROBE)
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigurationError(_say_os_error("folder_cannot_be_written", folder, error)) from None


def _say_os_error(code: str, folder: Path, error: OSError) -> Sentence:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return say("disk_is_full", file=str(folder))
    is_read_only = error.errno == errno.EROFS
    why = say("file_system_is_read_only") if is_read_only else quote((error.strerror or str(error)).lower())
    return say(code, file=str(folder), why=why)


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
                say(
                    "another_standalone_runs",
                    file=str(cfg.home),
                    other=say("in_brackets", why=quote(other)) if other else None,
                )
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
    if port_number > 65535:
        raise ConfigurationError(say("port_is_too_large", number=port_number))
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port_number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise ConfigurationError(say("host_of_api_is_wrong", host=repr(host), error=error.strerror)) from None
    if cfg.text("api", "auth") == "none" and not is_loopback(str(address[0])):
        raise ConfigurationError(say("open_address_lacks_accounts", source=cfg.source("api", "auth"), host=host))
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
            raise ConfigurationError(say("port_is_in_use", number=port_number, host=host)) from None
        if error.errno in (errno.EACCES, errno.EPERM):
            raise ConfigurationError(say("port_is_not_allowed", number=port_number)) from None
        raise ConfigurationError(say("cannot_listen", host=host, number=port_number, error=error.strerror)) from None
    return listener


def browser_address(listener: socket.socket) -> str:
    """The URL to open in a browser."""
    host, port = listener.getsockname()[:2]
    if host in ("0.0.0.0", "::", "127.0.0.1", "::1"):
        host = "localhost"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"
