"""`DagBag`: the DAGs of a folder, for tests of DAG files."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gnomon.config import current_config
from gnomon.loading import dagfile
from gnomon.loading.class_loader import load_class
from gnomon.sdk.dags.dag import DAG
from gnomon.sdk.dags.dag_spec import build_dag_spec


class DagBag:
    """All DAGs below `dag_folder` (a folder or a file; default: the DAGs folder), imported in this process.

    `import_errors`: the traceback of each file that failed, by path. When two files define the same DAG id, the first in the
    order of paths counts. `include_examples` and all other arguments are accepted without effect.
    """

    def __init__(self, dag_folder: str | Path | None = None, include_examples: bool = False, **kwargs: Any) -> None:
        self.dag_folder = str(dag_folder if dag_folder is not None else current_config().dags_folder)
        self.dags: dict[str, DAG] = {}
        self.import_errors: dict[str, str] = {}
        self.captured_warnings: dict[str, tuple[str, ...]] = {}
        for file in _iter_dag_files(Path(self.dag_folder)):
            self.process_file(str(file))

    def process_file(self, filepath: str, only_if_updated: bool = True, safe_mode: bool = True) -> list[DAG]:
        """Import a file and add its DAGs, or its error to `import_errors`. Returns the DAGs of the file."""
        try:
            loaded = dagfile.load_dag_file(filepath)
            for dag in loaded.dags.values():
                build_dag_spec(dag, filepath, load_class)
        except Exception:  # a DAG file may raise anything; the bag collects the errors
            self.import_errors[filepath] = traceback.format_exc()
            return []
        for dag_id, dag in loaded.dags.items():
            self.dags.setdefault(dag_id, dag)
        if loaded.warnings:
            self.captured_warnings[filepath] = loaded.warnings
        return list(loaded.dags.values())

    def collect_dags(self, dag_folder: str | Path | None = None, **kwargs: Any) -> None:
        """Add the DAGs of all files below a folder."""
        for file in _iter_dag_files(Path(dag_folder if dag_folder is not None else self.dag_folder)):
            self.process_file(str(file))

    def get_dag(self, dag_id: str, session: Any = None) -> DAG | None:
        """The DAG of that id; None when the bag has none."""
        return self.dags.get(dag_id)

    def bag_dag(self, dag: DAG, **kwargs: Any) -> None:
        """Add a DAG, in place of one with the same id."""
        self.dags[dag.dag_id] = dag

    @property
    def dag_ids(self) -> list[str]:
        """The ids of all DAGs, sorted."""
        return sorted(self.dags)

    def size(self) -> int:
        """Number of DAGs in the bag."""
        return len(self.dags)


def _iter_dag_files(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for file in sorted(folder.rglob("*.py")):
        text = file.read_text(errors="replace").lower()
        if "dag" in text and ("airflow" in text or "gnomon" in text):
            yield file
