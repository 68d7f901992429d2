"""The remote folder of logs: upload, list and download, by a file system of fsspec. fsspec and the sdk are imported at the first use: help of commands loads this module."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from gnomon.ground import log
from gnomon.ground.config import Config, environment
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.error_text import class_name, describe_error
from gnomon.model.errors.product import GnomonError, ResourceUnavailable
from gnomon.model.sentences import Command, say
from gnomon.storage.remote_logs.remote_log_names import build_remote_name, list_remote_names
from gnomon.storage.remote_logs.remote_log_settings import (
    RemoteLogSettings,
    read_remote_log_settings,
)
from gnomon.storage.store import Database
from gnomon.storage.store.admin import connections

if TYPE_CHECKING:
    from gnomon.authoring.sdk.connections.connection import Connection

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
DOWNLOAD_S = 120.0
"""How long a download may take: a store that sends a byte now and then would hold a thread for ever."""
DOWNLOAD_BYTES_MAX = 1_073_741_824
"""The largest log that is downloaded."""
_BLOCK_BYTES = 8_388_608
_PART = ".part"
_log = log.get_logger("remote_logs")


class RemoteLogError(ResourceUnavailable):
    """The remote folder cannot be reached, read or written now, or its login is wrong. A later call may succeed: each opens the store anew after an error."""


class RemoteLogFolder:
    """The folder of `[logging] remote_base_log_folder`. Threads may share it."""

    def __init__(
        self, settings: RemoteLogSettings, open_database: Callable[[], Database], *, tells_reasons: bool = False
    ) -> None:
        """`open_database`: called for each look-up of the connection, outside of transactions.

        `tells_reasons`: errors contain the texts of the store; those have addresses and keys, which users of the API may not see.
        """
        self.settings = settings
        self._open_database = open_database
        self._tells_reasons = tells_reasons
        self._opened: Any = None
        self._guard = threading.Lock()

    def upload(self, source: ConfinedFile, name: str) -> None:
        """Write the file to the path `name` of the folder, in the place of an older one. Raises RemoteLogError, and FileNotFoundError without the file."""
        with source.open() as opened:
            try:
                self._call("written", lambda fs: self._put(fs, _path_of(opened), self._locate(build_remote_name(name))))
            except FileNotFoundError as error:
                raise self._missing_bucket() from error

    def _missing_bucket(self) -> RemoteLogError:
        return RemoteLogError(say("remote_log_folder_has_no_bucket", url=self.settings.address))

    def list_sizes(self, folder: str) -> dict[str, int]:
        """The names of the remote files in a folder of logs, without the path, with their bytes; none when there is no such folder. Raises RemoteLogError."""

        def look(fs: Any) -> dict[str, int]:
            fs.invalidate_cache()
            sizes: dict[str, int] = {}
            for path in list_remote_names(folder):
                with contextlib.suppress(FileNotFoundError):
                    entries = _call_file_system(fs, "ls", self._locate(path), detail=True, timeout_s=READ_TIMEOUT_S)
                    sizes = {
                        str(entry["name"]).rpartition("/")[2]: int(entry["size"] or 0)
                        for entry in entries
                        if entry["type"] == "file"
                    } | sizes
            return sizes

        listed: dict[str, int] = self._call("listed", look)
        return listed

    def download(self, name: str, size: int, target: ConfinedFile) -> None:
        """Write the remote file, which has so many bytes, to `target`, whole.

        Raises RemoteLogError, also for one that is too large, takes too long, or has another size; and FileNotFoundError without the remote file.
        """
        if size > DOWNLOAD_BYTES_MAX:
            raise RemoteLogError(
                say(
                    "remote_log_is_too_large",
                    file=name,
                    size=f"{size:,}",
                    url=self.settings.address,
                    number=f"{DOWNLOAD_BYTES_MAX:,}",
                )
            )
        draft = target.beside(f".{os.getpid()}.{threading.get_ident()}{_PART}")
        try:
            with draft.open("ab") as opened:
                opened.truncate(0)
                self._call("read", lambda fs: self._copy_first(fs, list_remote_names(name), size, opened))
            target.replace_with(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _copy_first(self, fs: Any, names: Sequence[str], size: int, target: BinaryIO) -> None:
        """As `_copy`, of the first of these remote names that there is. Raises FileNotFoundError without any."""
        for name in names[:-1]:
            with contextlib.suppress(FileNotFoundError):
                self._copy(fs, self._locate(name), size, target)
                return
        self._copy(fs, self._locate(names[-1]), size, target)

    def _copy(self, fs: Any, path: str, size: int, target: BinaryIO) -> None:
        """Write the bytes of a remote file to `target`, and never more than `size`. Raises RemoteLogError."""
        until = time.monotonic() + DOWNLOAD_S
        copied = 0
        for block in _read_blocks(fs, path, size, until):
            copied += len(block)
            if copied > size or time.monotonic() > until:
                break
            target.write(block)
        if time.monotonic() > until:
            raise RemoteLogError(say("remote_log_did_not_come", url=self.settings.address, duration=DOWNLOAD_S))
        if copied != size:
            raise RemoteLogError(say("remote_log_has_another_size", url=self.settings.address, size=f"{size:,}"))

    def _locate(self, remote_name: str) -> str:
        return f"{self.settings.root}/{remote_name}"

    def _put(self, fs: Any, source: str, target: str) -> None:
        if not self.settings.has_folders:
            fs.put_file(source, target)
            return
        fs.makedirs(target.rpartition("/")[0], exist_ok=True)
        draft = f"{target[:-1]}{_PART}"
        fs.put_file(source, draft)
        fs.mv(draft, target)

    def _call(self, act: str, function: Callable[[Any], Any]) -> Any:
        """Call the function with the file system. Raises RemoteLogError for whatever goes wrong but FileNotFoundError of the one file."""
        try:
            return function(self._open())
        except (FileNotFoundError, RemoteLogError):
            raise
        except Exception as error:  # the edge to the libraries of stores, which raise exceptions of any kind, with addresses and keys in their texts
            with self._guard:
                self._opened = None
            if self._tells_reasons:
                raise RemoteLogError(
                    say("remote_log_folder_failed", url=self.settings.address, act=act, error=describe_error(error))
                ) from error
            _log.warning("remote_log_folder_failed", folder=self.settings.address, act=act, error=describe_error(error))
            raise RemoteLogError(
                say(
                    "remote_log_folder_failed_for_unsaid_reason",
                    url=self.settings.address,
                    act=act,
                    error=class_name(error),
                )
            ) from error

    def _open(self) -> Any:
        with self._guard:
            if self._opened is None:
                self._opened = self._create()
            return self._opened

    def _create(self) -> Any:
        import fsspec  # only deployments with remote logs have it, and it takes time to import

        settings = self.settings
        login = self._find_login() if settings.protocol != "file" else {}
        common = {"skip_instance_cache": True, "use_listings_cache": False}
        if settings.protocol == "s3":
            config = {
                "connect_timeout": CONNECT_TIMEOUT_S,
                "read_timeout": READ_TIMEOUT_S,
                "retries": {"max_attempts": 1},
                **login.pop("config_kwargs", {}),
            }
            opened = fsspec.filesystem("s3", config_kwargs=config, **common, **login)
            opened.retries = 1  # the uploader repeats, and a reader is told
            return opened
        if settings.protocol == "sftp":
            address = {"host": settings.host, "username": settings.user, "port": settings.port}
            opened = fsspec.filesystem(
                "sftp",
                **common,
                **{"timeout": CONNECT_TIMEOUT_S, **login, **{name: value for name, value in address.items() if value}},
            )
            opened.ftp.get_channel().settimeout(READ_TIMEOUT_S)
            return opened
        return fsspec.filesystem(settings.protocol, **common, **login)

    def _find_login(self) -> dict[str, Any]:
        conn_id = self.settings.conn_id
        if conn_id is None:
            return {}
        from gnomon.authoring.sdk.storage.connection_login import build_login_options

        try:
            return build_login_options(self.settings.protocol, self._find_connection(conn_id))
        except (AirflowException, GnomonError) as error:
            raise RemoteLogError(
                say("remote_log_login_cannot_be_used", url=self.settings.address, error=str(error))
            ) from error

    def _find_connection(self, conn_id: str) -> Connection:
        from gnomon.authoring.sdk.connections.connection import Connection

        environ = environment()
        text = next(
            (
                environ[name]
                for name in (f"{prefix}{conn_id.upper()}" for prefix in ("GNOMON_CONN_", "AIRFLOW_CONN_"))
                if name in environ
            ),
            None,
        )
        if text is not None:
            return _hide(Connection.from_text(text, conn_id))
        with self._open_database().read() as tx:
            stored = connections.get_connection(tx, conn_id)
        if stored is None:
            raise RemoteLogError(
                say(
                    "connection_of_remote_logs_does_not_exist",
                    conn_id=conn_id,
                    command=Command("connections set", (conn_id,)),
                )
            )
        return _hide(
            Connection(
                conn_id,
                stored.conn_type,
                stored.description,
                stored.host,
                stored.login,
                stored.password,
                stored.schema,
                stored.port,
                stored.extra,
            )
        )


def _call_file_system(fs: Any, method: str, *arguments: Any, timeout_s: float, **options: Any) -> Any:
    """Call a method of a file system of fsspec. Those of object stores are coroutines, and end with an error after the time."""
    from fsspec.asyn import sync

    if not fs.async_impl:
        return getattr(fs, method)(*arguments, **options)
    return sync(fs.loop, getattr(fs, f"_{method}"), *arguments, timeout=max(timeout_s, 0.001), **options)


def _read_blocks(fs: Any, path: str, size: int, until: float) -> Iterator[bytes]:
    """The remote file from its beginning, at least as far as `size`, in blocks. `until`: in monotonic seconds."""
    if fs.async_impl:  # by ranges: what a store has compressed does not become longer than was asked for
        for start in range(0, size, _BLOCK_BYTES):
            yield _call_file_system(
                fs,
                "cat_file",
                path,
                start=start,
                end=min(start + _BLOCK_BYTES, size),
                timeout_s=until - time.monotonic(),
            )
        return
    with fs.open(path, "rb") as opened:
        if hasattr(opened, "prefetch"):  # of sftp: each block would wait for the one before
            opened.prefetch(size)
        remaining = size + 1
        while remaining > 0 and (block := opened.read(min(_BLOCK_BYTES, remaining))):
            remaining -= len(block)
            yield block


def _path_of(opened: BinaryIO) -> str:
    """A path that leads to the opened file whatever its name leads to meanwhile: file systems of fsspec take paths only."""
    return f"/dev/fd/{opened.fileno()}"


def _hide(connection: Connection) -> Connection:
    """The connection, whose secrets are hidden in the logs of this process from now on."""
    from gnomon.authoring.sdk.connections.secret_masking import mask_secret

    mask_secret([text for text in (connection.password, connection.extra) if text])
    mask_secret(connection.extra_dejson)
    return connection


def open_remote_log_folder(
    cfg: Config, open_database: Callable[[], Database], *, tells_reasons: bool = False
) -> RemoteLogFolder | None:
    """The folder of the options; None: logs stay on this machine. Raises OptionError as `read_remote_log_settings`. Nothing is reached yet."""
    settings = read_remote_log_settings(cfg)
    return None if settings is None else RemoteLogFolder(settings, open_database, tells_reasons=tells_reasons)
