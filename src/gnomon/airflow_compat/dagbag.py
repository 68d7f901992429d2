"""`DagBag`: the DAGs of a folder, for tests of DAG files."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from gnomon.airflow_compat.stand_ins import NotSupported
from gnomon.author_code.loading import dagfile
from gnomon.author_code.loading.class_loader import load_class
from gnomon.authoring.sdk.connections import channel
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.dags.executor_checks import check_executors
from gnomon.entry.testing.dag_runs.home_channel import HomeChannel
from gnomon.ground.config import current_config, read_executors
from gnomon.model.errors.authoring import AirflowDagDuplicatedIdException
from gnomon.model.errors.error_text import describe_error
from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.settings import SourceFolder

_EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
_WITHOUT_EFFECT = ("bundle_path", "bundle_name", "known_pools", "load_op_links", "store_serialized_dags")
"""Arguments of Airflow for its bundles, its metadata database and its web server, which Gnomon does not have."""
_DATABASE_NAMES = ("sync_to_db", "_sync_to_db", "get_dagmodel", "collect_dags_from_db", "_add_dag_from_db")


class FileLoadStat(NamedTuple):
    """How the import of one file went."""

    file: str
    duration: float
    """Seconds."""
    dag_num: int
    task_num: int
    dags: str
    warning_num: int


class DagBag:
    """All DAGs below `dag_folder` (a folder or a file; default: the DAGs folder), imported in this process.

    `import_errors`: the traceback of each file that failed, by path; also for a DAG id that two files or two DAGs of a file have, and for a
    DAG that a cluster policy refuses. `include_examples`: also the DAGs that Gnomon brings as examples. `safe_mode`: leave out files whose text
    does not look like a DAG file. `.airflowignore` counts. `collect_dags=False` reads no file. Arguments for Airflow's bundles have no effect.

    Raises NotSupported for `read_dags_from_db`, because there is no metadata database; TypeError for an unknown argument.
    """

    def __init__(
        self,
        dag_folder: str | Path | None = None,
        include_examples: bool = False,
        safe_mode: bool = True,
        read_dags_from_db: bool = False,
        collect_dags: bool = True,
        **without_effect: Any,
    ) -> None:
        for name in without_effect.keys() - set(_WITHOUT_EFFECT):
            raise TypeError(f"DagBag has no argument {name}=")
        if read_dags_from_db:
            raise NotSupported(
                "DagBag(read_dags_from_db=True) cannot be used: there is no metadata database; a DagBag reads DAG files"
            )
        self.dag_folder = str(dag_folder if dag_folder is not None else current_config().dags_folder)
        self.dags: dict[str, DAG] = {}
        self.import_errors: dict[str, str] = {}
        self.captured_warnings: dict[str, tuple[str, ...]] = {}
        self.dagbag_stats: list[FileLoadStat] = []
        self._safe_mode = safe_mode
        if collect_dags:
            self.collect_dags(self.dag_folder)
            if include_examples:
                self.collect_dags(_EXAMPLES)

    def process_file(self, filepath: str, only_if_updated: bool = True, safe_mode: bool = True) -> list[DAG]:
        """Import a file and add its DAGs, or its error to `import_errors`. Returns the DAGs of the file."""
        begun = time.perf_counter()
        had_channel = channel.has_channel()
        previous = channel.install_channel(HomeChannel()) if not had_channel else None
        try:
            loaded = dagfile.load_dag_file(filepath)
            for dag in loaded.dags.values():
                check_executors(dag, read_executors(current_config()))
                build_dag_spec(dag, filepath, load_class)
        except (Exception, SystemExit):  # a DAG file may raise anything; the bag collects the errors
            self.import_errors[filepath] = traceback.format_exc()
            return []
        finally:
            if not had_channel:
                channel.install_channel(previous)
        for dag_id in loaded.repeated:
            self._add_error(filepath, f"two DAGs of this file have the id {dag_id!r}; give each an id of its own")
        for dag_id, error in loaded.refused.items():
            self._add_error(filepath, f"DAG {dag_id!r}: {error}")
        added = [dag for dag in loaded.dags.values() if self._add(dag, filepath)]
        if loaded.warnings:
            self.captured_warnings[filepath] = loaded.warnings
        self.dagbag_stats.append(
            FileLoadStat(
                filepath,
                time.perf_counter() - begun,
                len(added),
                sum(len(dag.task_dict) for dag in added),
                str([dag.dag_id for dag in added]),
                len(loaded.warnings),
            )
        )
        return added

    def _add(self, dag: DAG, filepath: str) -> bool:
        first_dag = self.dags.get(dag.dag_id)
        if first_dag is not None and first_dag.fileloc != dag.fileloc:
            error = AirflowDagDuplicatedIdException(dag.dag_id, dag.fileloc, first_dag.fileloc)
            self._add_error(filepath, f"{describe_error(error)}")
            return False
        self.dags[dag.dag_id] = dag
        return True

    def _add_error(self, filepath: str, text: str) -> None:
        before = self.import_errors.get(filepath)
        self.import_errors[filepath] = text if before is None else f"{before}\n{text}"

    def collect_dags(
        self,
        dag_folder: str | Path | None = None,
        only_if_updated: bool = True,
        include_examples: bool = False,
        safe_mode: bool | None = None,
    ) -> None:
        """Add the DAGs of all files below a folder, or of one file."""
        folder = Path(dag_folder if dag_folder is not None else self.dag_folder)
        for file in _iter_dag_files(folder, self._safe_mode if safe_mode is None else safe_mode):
            self.process_file(file)
        if include_examples:
            self.collect_dags(_EXAMPLES)

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

    def dagbag_report(self) -> str:
        """A text with the files, the slowest first, and the errors."""
        rows = sorted(self.dagbag_stats, key=lambda row: -row.duration)
        lines = [f"{len(self.dags)} DAGs in {len(rows)} files below {self.dag_folder}"]
        lines += [f"{row.duration:8.3f} s  {row.dag_num} DAGs, {row.task_num} tasks  {row.file}" for row in rows]
        return "\n".join(
            [*lines, *(f"ERROR {file}: {text.strip().splitlines()[-1]}" for file, text in self.import_errors.items())]
        )

    def __getattr__(self, name: str) -> Any:
        if name in _DATABASE_NAMES:
            raise NotSupported(
                f"DagBag.{name} cannot be used: there is no metadata database; start `gnomon standalone` to run DAGs on their schedule"
            )
        raise AttributeError(f"a DagBag has no attribute {name!r}")


def _iter_dag_files(folder: Path, safe_mode: bool) -> Iterator[str]:
    """The DAG files, as the DAG processor finds them; none for `os.devnull`. Raises FileNotFoundError when there is no such folder."""
    if str(folder) == os.devnull:
        return
    if folder.is_file():
        yield str(folder)
        return
    if not folder.is_dir():
        raise FileNotFoundError(f"DagBag: there is no folder {folder}")
    regexp = current_config().text("core", "dag_ignore_file_syntax") == "regexp"
    listing = FileDiscovery(regexp_ignore=regexp, safe_mode=safe_mode).list_folder(
        SourceFolder(os.path.abspath(folder))
    )
    yield from sorted(listing.files)
