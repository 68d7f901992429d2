"""A folder of this machine as a DAG bundle, as in Airflow (`airflow.dag_processing.bundles.local`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle
from gnomon.ground.config import current_config


class LocalDagBundle(BaseDagBundle):
    """A folder of this machine; without `path` the DAG folder. It has no versions."""

    def __init__(self, *, path: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._path = Path(os.path.abspath(path or current_config().dags_folder))

    @property
    def path(self) -> Path:
        """The folder."""
        return self._path

    def get_current_version(self) -> None:
        """None: the folder has no versions."""

    def refresh(self) -> None:
        """Nothing: the folder is read where it is."""
