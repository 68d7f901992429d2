"""The base class of DAG bundles, as in Airflow (`airflow.dag_processing.bundles.base`)."""

from __future__ import annotations

import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gnomon.ground.config import current_config
from gnomon.ground.config.dag_bundles import bundle_folder
from gnomon.model.errors.product import UserError


class DagBundleError(UserError):
    """A DAG bundle cannot be had: the message names the bundle, what is wrong, and the remedy."""


class BaseDagBundle(ABC):
    """A folder of DAG files that comes from somewhere. `version`: the version to have; None: the newest, which `refresh` brings."""

    supports_versioning: bool = False
    """Whether `get_current_version` answers, and a version can be asked for."""
    warning: str | None = None
    """After a refresh: what of the bundle is not as its author may expect, with the remedy; shown beside the errors of files."""

    def __init__(
        self,
        *,
        name: str,
        refresh_interval: float = 0,
        version: str | None = None,
        view_url_template: str | None = None,
    ) -> None:
        self.name = name
        self.version = version
        self.refresh_interval = refresh_interval
        self.is_initialized = False
        self.base_dir: Path = bundle_folder(current_config(), name)
        """The folder for the local copies of the bundle."""
        self.versions_dir: Path = self.base_dir / "versions"
        """The folder for the local copies of its versions, each in a folder of that name."""
        self._view_url_template = view_url_template

    def initialize(self) -> None:
        """Make `path` exist, for the version if one was given. May take long; called once for each object."""
        self.is_initialized = True

    @property
    @abstractmethod
    def path(self) -> Path:
        """The folder with the DAG files."""

    @abstractmethod
    def get_current_version(self) -> str | None:
        """The version in `path`; None for a bundle without versions."""

    @abstractmethod
    def refresh(self) -> None:
        """Bring the newest version into `path`."""

    def view_url(self, version: str | None = None) -> str | None:
        """An address at which people can read the bundle; None: there is none."""
        return None

    def view_url_template(self) -> str | None:
        """The address with `{version}` for the version; None: there is none."""
        return self._view_url_template

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let no other process of this machine change the local copies of the bundle meanwhile."""
        self.base_dir.mkdir(parents=True, exist_ok=True)
        with (self.base_dir / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def __repr__(self) -> str:
        shown: Any = f", version={self.version!r}" if self.version is not None else ""
        return f"{type(self).__name__}(name={self.name!r}{shown})"
