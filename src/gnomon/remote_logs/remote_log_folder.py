"""The remote folder of logs: upload, list and download, by a file system of fsspec. fsspec and the sdk are imported at the first use: help of commands loads this module."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO

from gnomon.config import Config, environment
from gnomon.errors.authoring import AirflowException
from gnomon.errors.product import GnomonError, ResourceUnavailable
from gnomon.log.confined_files import ConfinedFile
from gnomon.remote_logs.remote_log_names import build_remote_name, list_remote_names
from gnomon.remote_logs.remote_log_settings import (
    CONNECTION,
    FOLDER,
    SECTION,
    RemoteLogSettings,
    read_remote_log_settings,
)
from gnomon.store import Database
from gnomon.store.admin import connections

if TYPE_CHECKING:
    from gnomon.sdk.runtime.connection import Connection

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
_PART = ".part"


class RemoteLogError(ResourceUnavailable):
    """The remote folder cannot be reached, read or written now, or its login is wrong. A later call may succeed: each opens the store anew after an error."""


class RemoteLogFolder:
    """The folder of `[logging] remote_base_log_folder`. Threads may share it."""

    def __init__(self, settings: RemoteLogSettings, open_database: Callable[[], Database]) -> None:
        """`open_database`: called for each look-up of the connection, outside of transactions."""
        self.settings = settings
        self._open_database = open_database
        self._opened: Any = None
        self._guard = threading.Lock()

    def upload(self, source: ConfinedFile, name: str) -> None:
        """Write the file to the path `name` of the folder, in the place of an older one. Raises RemoteLogError, and FileNotFoundError without the file."""
        with source.open() as opened:
            try:
                self._call("written", lambda fs: self._put(fs, _path_of(opened), self._locate(build_remote_name(name))))
            except FileNotFoundError as error:
                raise self._missing_bucket(error) from error

    def _missing_bucket(self, error: FileNotFoundError) -> RemoteLogError:
        return RemoteLogError(
            f"the remote log folder {self.settings.address} ([{SECTION}] {FOLDER}) cannot be written: its bucket or container does not exist ({error}); create it"
        )

    def list_sizes(self, folder: str) -> dict[str, int]:
        """The names of the remote files in a folder of logs, without the path, with their bytes; none when there is no such folder. Raises RemoteLogError."""
        def look(fs: Any) -> dict[str, int]:
            fs.invalidate_cache()
            sizes: dict[str, int] = {}
            for path in list_remote_names(folder):
                with contextlib.suppress(FileNotFoundError):
                    found = fs.ls(self._locate(path), detail=True)
                    sizes = {str(one["name"]).rpartition("/")[2]: int(one["size"] or 0) for one in found if one["type"] == "file"} | sizes
            return sizes

        listed: dict[str, int] = self._call("listed", look)
        return listed

    def download(self, name: str, target: ConfinedFile) -> None:
        """Write the remote file to `target`, whole. Raises RemoteLogError, and FileNotFoundError without the remote file."""
        draft = target.beside(f".{os.getpid()}.{threading.get_ident()}{_PART}")
        try:
            with draft.open("ab") as opened:
                opened.truncate(0)
                self._call("read", lambda fs: self._get(fs, name, _path_of(opened)))
            target.replace_with(draft)
        finally:
            draft.unlink(missing_ok=True)

    def _locate(self, remote_name: str) -> str:
        return f"{self.settings.root}/{remote_name}"

    def _get(self, fs: Any, name: str, target: str) -> None:
        *others, last = list_remote_names(name)
        for path in others:
            with contextlib.suppress(FileNotFoundError):
                fs.get_file(self._locate(path), target)
                return
        fs.get_file(self._locate(last), target)

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
        except Exception as error:  # the edge to the libraries of stores, which raise exceptions of any kind
            with self._guard:
                self._opened = None
            raise RemoteLogError(
                f"the remote log folder {self.settings.address} ([{SECTION}] {FOLDER}) cannot be {act}: {type(error).__name__}: {error}"
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
            config = {"connect_timeout": CONNECT_TIMEOUT_S, "read_timeout": READ_TIMEOUT_S, "retries": {"max_attempts": 1}, **login.pop("config_kwargs", {})}
            opened = fsspec.filesystem("s3", config_kwargs=config, **common, **login)
            opened.retries = 1  # the uploader repeats, and a reader is told
            return opened
        if settings.protocol == "sftp":
            address = {"host": settings.host, "username": settings.user, "port": settings.port}
            return fsspec.filesystem("sftp", **common, **{"timeout": CONNECT_TIMEOUT_S, **login, **{name: value for name, value in address.items() if value}})
        return fsspec.filesystem(settings.protocol, **common, **login)

    def _find_login(self) -> dict[str, Any]:
        conn_id = self.settings.conn_id
        if conn_id is None:
            return {}
        from gnomon.sdk.storage.connection_login import build_login_options

        try:
            return build_login_options(self.settings.protocol, self._find_connection(conn_id))
        except (AirflowException, GnomonError) as error:
            raise RemoteLogError(f"the login of the remote log folder {self.settings.address} cannot be used: {error}") from error

    def _find_connection(self, conn_id: str) -> Connection:
        from gnomon.sdk.runtime.connection import Connection

        environ = environment()
        text = next((environ[name] for name in (f"{prefix}{conn_id.upper()}" for prefix in ("GNOMON_CONN_", "AIRFLOW_CONN_")) if name in environ), None)
        if text is not None:
            return _hide(Connection.from_text(text, conn_id))
        with self._open_database().read() as tx:
            stored = connections.get_connection(tx, conn_id)
        if stored is None:
            raise RemoteLogError(
                f"connection {conn_id!r} of [{SECTION}] {CONNECTION} does not exist: create it with `gnomon connections set {conn_id} ...`, or write the id of another one "
                "into the option"
            )
        return _hide(Connection(
            conn_id, stored.conn_type, stored.description, stored.host, stored.login, stored.password, stored.schema, stored.port, stored.extra,
        ))  # fmt: skip


def _path_of(opened: BinaryIO) -> str:
    """A path that leads to the opened file whatever its name leads to meanwhile: file systems of fsspec take paths only."""
    return f"/dev/fd/{opened.fileno()}"


def _hide(connection: Connection) -> Connection:
    """The connection, whose secrets are hidden in the logs of this process from now on."""
    from gnomon.sdk.runtime.secret_masking import mask_secret

    mask_secret([text for text in (connection.password, connection.extra) if text])
    mask_secret(connection.extra_dejson)
    return connection


def open_remote_log_folder(cfg: Config, open_database: Callable[[], Database]) -> RemoteLogFolder | None:
    """The folder of the options; None: logs stay on this machine. Raises OptionError as `read_remote_log_settings`. Nothing is reached yet."""
    settings = read_remote_log_settings(cfg)
    return None if settings is None else RemoteLogFolder(settings, open_database)
