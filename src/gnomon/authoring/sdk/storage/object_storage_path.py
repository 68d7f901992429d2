"""ObjectStoragePath: `pathlib.Path` for object stores and file systems, such as `s3://connection@bucket/key`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any, ClassVar, Self
from urllib.parse import urlsplit

from gnomon.authoring.sdk.assets.asset import Asset
from gnomon.authoring.sdk.runtime.xcom import OBJECT_STORAGE_PATH
from gnomon.authoring.sdk.storage.object_store import MISSING, attach
from gnomon.model.serde import register_type

try:
    from upath import UPath
    from upath.extensions import ProxyUPath, classmethod_or_method
except ImportError as error:
    raise ImportError(f"ObjectStoragePath cannot be used: {MISSING}") from error

if TYPE_CHECKING:
    from collections.abc import Mapping


class StatResult(dict[str, Any]):
    """The properties of a file; those that `os.stat_result` has are attributes too."""

    @property
    def st_size(self) -> int:
        """Bytes."""
        return int(self.get("size") or 0)

    @property
    def st_mode(self) -> int:
        """Type and permissions; 0 on a store without them."""
        mode: int = self.get("mode", 0)
        return mode

    @property
    def st_mtime(self) -> float:
        """When the content was last changed, in seconds since 1970; 0 when the store does not say."""
        for name in ("mtime", "LastModified", "last_modified", "timestamp", "modified", "updated"):
            modified_at = self.get(name)
            if modified_at is not None:
                return float(modified_at.timestamp() if hasattr(modified_at, "timestamp") else modified_at)
        return 0.0


class ObjectStoragePath(ProxyUPath):  # type: ignore[misc,unused-ignore]  # without the extra, mypy does not know the class
    """A path on a store. The connection is the part before `@`, or `conn_id`; `storage_options` go to fsspec."""

    __version__: ClassVar[int] = 1
    sep: ClassVar[str] = "/"
    root_marker: ClassVar[str] = "/"
    __slots__ = ("_conn_id",)

    def __init__(
        self, *args: Any, protocol: str | None = None, conn_id: str | None = None, **storage_options: Any
    ) -> None:
        inherited = storage_options.pop("conn_id", None)
        if args and isinstance(args[0], ObjectStoragePath):
            inherited = args[0].conn_id
        elif args:
            url = urlsplit(args[0].uri if isinstance(args[0], Asset) else str(args[0]))
            user, has_user, host = url.netloc.rpartition("@")
            if has_user:
                inherited, url = user or None, url._replace(netloc=host)
                args = (url.geturl(), *args[1:])
            protocol = protocol or url.scheme
        self._conn_id = conn_id if conn_id is not None else inherited
        super().__init__(*args, protocol=protocol, **storage_options)
        self._use_connection(self.__wrapped__)

    @classmethod_or_method  # type: ignore[misc,untyped-decorator,unused-ignore]
    def _from_upath(cls_or_self: Any, upath: Any, /) -> Any:  # type: ignore[override, unused-ignore]  # noqa: N805 - the class, or an object of it
        """Return a path of this class for a path of universal_pathlib; a path that comes from another keeps its connection."""
        is_instance = isinstance(cls_or_self, ObjectStoragePath)
        cls = type(cls_or_self) if is_instance else cls_or_self
        if isinstance(upath, cls):
            return upath
        path = object.__new__(cls)
        path.__wrapped__ = upath
        path._conn_id = getattr(cls_or_self, "_conn_id", None) if is_instance else None
        if not hasattr(upath, "_fs_cached"):
            path._use_connection(upath)
        return path

    def _use_connection(self, wrapped: Any) -> None:
        """Let the operations of universal_pathlib use the file system of the connection."""
        if self._conn_id is not None and not _is_in_dag_file():
            wrapped._fs_cached = attach(wrapped.protocol or "file", self._conn_id).fs

    @property
    def conn_id(self) -> str | None:
        """The id of the connection; None: no connection."""
        return getattr(self, "_conn_id", None)

    @property
    def fs(self) -> Any:
        """The file system of fsspec."""
        if self.conn_id is None and self.storage_options:
            return self.__wrapped__.fs
        return attach(self.protocol or "file", self.conn_id).fs

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return self.samestore(other) and str(self) == str(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def samestore(self, other: Any) -> bool:
        """Return whether the other path is on the same store, with the same connection."""
        return isinstance(other, ObjectStoragePath) and (self.protocol, self.conn_id) == (other.protocol, other.conn_id)

    @property
    def bucket(self) -> str:
        """The bucket, the host part of the address; empty for a local path."""
        return urlsplit(str(self.__wrapped__)).netloc

    container = bucket

    @property
    def key(self) -> str:
        """The path within the bucket, without a slash at its beginning."""
        return urlsplit(str(self.__wrapped__)).path.lstrip(self.sep)

    @property
    def namespace(self) -> str:
        """`protocol://bucket`."""
        return f"{self.protocol}://{self.bucket}" if self.bucket else str(self.protocol)

    def open(self, mode: str = "r", **kwargs: Any) -> Any:  # type: ignore[override, unused-ignore]
        """Open the file."""
        kwargs.setdefault("block_size", kwargs.pop("buffering", None))
        return self.fs.open(self.path, mode=mode, **kwargs)

    def stat(self, **_: Any) -> StatResult:  # type: ignore[override, unused-ignore]
        """Return the properties of the file, and the protocol and connection of its store."""
        properties: Mapping[str, Any] = self.fs.stat(self.path)
        return StatResult(properties, protocol=self.protocol, conn_id=self.conn_id)

    def samefile(self, other_path: Any) -> bool:
        """Return whether both paths lead to one file."""
        if not isinstance(other_path, ObjectStoragePath) or not self.samestore(other_path):
            return False
        return bool(self.stat().get("ino") == other_path.stat().get("ino") and self.ukey() == other_path.ukey())

    def replace(self, target: Any) -> Self:
        """Rename to `target`, which is replaced."""
        renamed: Self = self.rename(target)
        return renamed

    @classmethod
    def cwd(cls) -> Self:
        """Return the working directory."""
        path: Self = cls._from_upath(UPath.cwd())
        return path

    @classmethod
    def home(cls) -> Self:
        """Return the home directory of the user."""
        path: Self = cls._from_upath(UPath.home())
        return path

    def ukey(self) -> str:
        """Return a text that changes with the content of the file."""
        return str(self.fs.ukey(self.path))

    def checksum(self) -> int:
        """Return the checksum of the file."""
        return int(self.fs.checksum(self.path))

    def read_block(self, offset: int, length: int | None, delimiter: bytes | None = None) -> bytes:
        """Return `length` bytes from `offset` on, to the end for None; with `delimiter`, from one delimiter to another."""
        return bytes(self.fs.read_block(self.path, offset=offset, length=length, delimiter=delimiter))

    def sign(self, expiration: int = 100, **kwargs: Any) -> str:
        """Return a signed address that is valid for `expiration` seconds. Raises NotImplementedError on a store without them."""
        return str(self.fs.sign(self.path, expiration=expiration, **kwargs))

    def size(self) -> int:
        """Return the size in bytes."""
        return int(self.fs.size(self.path))

    def copy(self, dst: str | ObjectStoragePath, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override, unused-ignore]
        """Copy the file, or with `recursive` the folder, to `dst`, on this or another store.

        Raises FileNotFoundError when there is none, ValueError for a folder that is copied to a file.
        """
        target = ObjectStoragePath(dst) if isinstance(dst, str) else dst
        if self.samestore(target):
            self.fs.copy(self.path, target.path, recursive=recursive, **kwargs)
        elif _is_local(self):
            target.fs.put(self.path, target.path, recursive=recursive, **kwargs)
        elif _is_local(target):
            self.fs.get(self.path, target.path, recursive=recursive, **kwargs)
        elif not self.exists():
            raise FileNotFoundError(f"{self} does not exist")
        elif self.is_dir():
            self._copy_folder(target, **kwargs)
        else:
            self._copy_stream(target, **kwargs)

    def _copy_folder(self, target: ObjectStoragePath, **kwargs: Any) -> None:
        if target.is_file():
            raise ValueError(f"Cannot copy directory {self} to the file {target}.")
        target.mkdir(exist_ok=True, parents=True)
        for member_path in self.fs.expand_path(self.path, recursive=True):
            source = ObjectStoragePath(member_path, protocol=self.protocol, conn_id=self.conn_id)
            if member_path != self.path and not source.is_dir():
                inner = source.path.removeprefix(self.path).lstrip(self.sep)
                goal = target / inner
                goal.parent.mkdir(exist_ok=True, parents=True)
                source._copy_stream(goal, **kwargs)

    def _copy_stream(self, target: ObjectStoragePath, **kwargs: Any) -> None:
        if target.key.endswith(self.sep) or not target.key:
            target.mkdir(exist_ok=True, parents=True)
            target = target / self.name
        elif target.is_dir():
            target = target / self.name
        with self.open("rb") as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink, **kwargs)

    def move(self, path: str | ObjectStoragePath, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override, unused-ignore]
        """Move the file, or with `recursive` the folder, to `path`."""
        target = ObjectStoragePath(path) if isinstance(path, str) else path
        if self.samestore(target):
            self.fs.move(self.path, target.path, recursive=recursive, **kwargs)
            return
        self.copy(target, recursive=recursive, **kwargs)
        if self.is_dir():
            self.rmdir(recursive=recursive)
        else:
            self.unlink()

    def move_into(self, target_dir: str | ObjectStoragePath, recursive: bool = False, **kwargs: Any) -> None:  # type: ignore[override, unused-ignore]
        """Move the file or folder into a folder. Raises NotADirectoryError when there is no such folder."""
        target = ObjectStoragePath(target_dir) if isinstance(target_dir, str) else target_dir
        if not target.is_dir():
            raise NotADirectoryError(f"Destination {target} is not a directory.")
        self.move(target / self.name, recursive=recursive, **kwargs)

    def serialize(self) -> dict[str, Any]:
        """Return the path as plain data, in Airflow's form."""
        return {"path": str(self), "conn_id": self.conn_id, "kwargs": dict(self.storage_options)}

    @classmethod
    def deserialize(cls, data: Mapping[str, Any], version: int) -> ObjectStoragePath:
        """Return the path that `serialize` wrote. Raises ValueError for a newer version."""
        if version > cls.__version__:
            raise ValueError(f"Cannot deserialize version {version} with version {cls.__version__}.")
        return cls(data["path"], conn_id=data.get("conn_id"), **(data.get("kwargs") or {}))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.serialize(),)

    def __str__(self) -> str:
        text = str(self.__wrapped__)
        if self._conn_id and self.protocol and text.startswith(f"{self.protocol}://"):
            return text.replace("://", f"://{self._conn_id}@", 1)
        return text


def _rebuild(data: Mapping[str, Any]) -> ObjectStoragePath:
    return ObjectStoragePath.deserialize(data, ObjectStoragePath.__version__)


register_type(OBJECT_STORAGE_PATH, ObjectStoragePath, ObjectStoragePath.serialize, _rebuild)


def _is_local(path: ObjectStoragePath) -> bool:
    return path.protocol in ("", "file", "local")


def _is_in_dag_file() -> bool:
    """True while a DAG file is imported: a path that it defines must not ask for a connection then."""
    from gnomon.authoring.sdk.nodes.authoring_state import get_current_context

    try:
        get_current_context()
    except RuntimeError:
        return True
    return False
