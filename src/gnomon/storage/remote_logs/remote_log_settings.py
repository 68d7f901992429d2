"""The options of remote logs, checked: where the folder is, and which package reads it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from urllib.parse import SplitResult, urlsplit

from gnomon.ground.config import Config, OptionError
from gnomon.model.sentences import say

SECTION = "logging"
FOLDER = "remote_base_log_folder"
CONNECTION = "remote_log_conn_id"
_FOLDERS = "s3://BUCKET/PATH, gs://BUCKET/PATH, abfs://CONTAINER/PATH, wasb://PATH, sftp://HOST/PATH or file:///PATH"
_WASB_CONTAINER = "airflow-logs"
"""Airflow's default of [azure_remote_logging] remote_wasb_log_container."""


@dataclass(frozen=True, slots=True)
class _Kind:
    protocol: str
    """fsspec's name."""
    package: str | None = None
    extra: str = ""


_S3, _GS, _ABFS, _SFTP = (
    _Kind("s3", "s3fs", "s3"),
    _Kind("gs", "gcsfs", "gs"),
    _Kind("abfs", "adlfs", "abfs"),
    _Kind("sftp", "paramiko", "sftp"),
)
_KINDS = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GS,
    "gcs": _GS,
    "abfs": _ABFS,
    "abfss": _ABFS,
    "az": _ABFS,
    "wasb": _ABFS,
    "wasbs": _ABFS,
    "sftp": _SFTP,
    "ssh": _SFTP,
    "file": _Kind("file"),
    "": _Kind("file"),
}


@dataclass(frozen=True, slots=True)
class RemoteLogSettings:
    """Where logs go."""

    protocol: str
    """fsspec's name of the kind of store."""
    root: str
    """The folder as the file system of fsspec names it."""
    address: str
    """The folder for people, without a password."""
    conn_id: str | None
    deletes_local_logs: bool
    host: str | None = None
    """Of sftp: the host, user and port in the address."""
    user: str | None = None
    port: int | None = None

    @property
    def has_folders(self) -> bool:
        """Folders must be created, and a file is whole once it is renamed. An object store has keys only, and shows whole objects."""
        return self.protocol in ("file", "sftp")


def read_remote_log_settings(cfg: Config) -> RemoteLogSettings | None:
    """The settings; None: logs stay on this machine. Raises OptionError for an address of an unknown kind, and for a package that is not installed."""
    if not cfg.boolean(SECTION, "remote_logging"):
        return None
    text = cfg.text(SECTION, FOLDER).strip()
    where = f"[{SECTION}] {FOLDER} ({cfg.source(SECTION, FOLDER)})"
    if not text:
        raise OptionError(
            say("remote_folder_is_empty", source=cfg.source(SECTION, "remote_logging"), place=where, options=_FOLDERS)
        )
    url = urlsplit(text)
    kind = _KINDS.get(url.scheme)
    if kind is None or ("@" in url.netloc and kind is not _SFTP):
        what = say("has_other_scheme", name=url.scheme) if kind is None else say("has_login_in_it")
        raise OptionError(say("remote_folder_is_wrong", place=where, why=what, options=_FOLDERS))
    if kind.package is not None and find_spec(kind.package) is None:
        raise OptionError(
            say(
                "package_of_remote_folder_is_missing",
                place=where,
                name=url.scheme,
                package=kind.package,
                extra=kind.extra,
            )
        )
    root = _find_root(cfg, url, kind)
    if root is None:
        raise OptionError(
            say("remote_folder_names_no_path", place=where, url=_show(url), options=_FOLDERS)
            if kind.protocol == "file"
            else say("remote_folder_names_no_bucket", place=where, url=_show(url), options=_FOLDERS)
        )
    sftp = kind is _SFTP
    return RemoteLogSettings(
        kind.protocol,
        root,
        _show(url),
        cfg.text(SECTION, CONNECTION).strip() or None,
        cfg.boolean(SECTION, "delete_local_logs"),
        url.hostname if sftp else None,
        url.username if sftp else None,
        url.port if sftp else None,
    )


def _find_root(cfg: Config, url: SplitResult, kind: _Kind) -> str | None:
    path = url.path.strip("/")
    if kind.protocol in ("file", "sftp"):
        is_complete = bool(path) and (url.path.startswith("/") and not url.netloc if kind.protocol == "file" else True)
        return f"/{path}" if is_complete else None
    if url.scheme in ("wasb", "wasbs"):  # in Airflow the address has the path alone, and an option the container
        container = cfg.get("azure_remote_logging", "remote_wasb_log_container", fallback=_WASB_CONTAINER)
        return "/".join(part for part in (container, url.netloc, path) if part)
    return "/".join(part for part in (url.netloc, path) if part) if url.netloc else None


def _show(url: SplitResult) -> str:
    return url._replace(netloc=url.netloc.rpartition("@")[2]).geturl().rstrip("/")
