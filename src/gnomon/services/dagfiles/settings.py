"""Settings of the dag-processor: options of the configuration, and constants that are not options."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec

from gnomon.ground.config import Config
from gnomon.ground.config.dag_bundles import DagBundleConfig, read_dag_bundles

MEGABYTE = 1024 * 1024
SLOW_AFTER_S = 3.0
"""A parse that takes longer frees its slot for the next file and continues outside the slots."""
SLOW_MAX = 4
"""Maximum number of slow parses outside the slots."""
CHECK_INPUTS_S = 30.0
"""Interval between checks of the stamps of all inputs; finds changes that the watch missed."""


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """A folder that is listed for DAG files or plugins."""

    folder: str
    is_bundled: bool = False
    """The package's own examples: part of the installation, so no warning when they are missing."""
    is_plugins: bool = False
    """The files are plugins: they are imported to check that they can be; they define no DAGs."""
    bundle_name: str | None = None
    """The DAG bundle that it is; None: the DAG folder, the examples or the plugins."""


@dataclass(frozen=True, slots=True)
class DagProcessorSettings:
    """Settings of the dag-processor; times in seconds."""

    roots: tuple[SourceFolder, ...]
    plugins_folder: str
    regexp_ignore: bool
    safe_mode: bool
    processes: int
    refresh_s: float
    reparse_s: float
    import_timeout_s: float | None
    process_timeout_s: float
    memory_bytes: int | None
    sort_mode: str
    paused_by_default: bool
    bundles: tuple[DagBundleConfig, ...] = ()
    """The DAG bundles that are refreshed; bundles that are folders of this machine are among `roots`."""
    stats_interval_s: float | None = None
    """Seconds between two log entries about the parses; None: none."""

    @property
    def listed_folders(self) -> tuple[SourceFolder, ...]:
        """All folders whose files are imported: those with DAG files, and the plugins folder if it exists and is not one of them."""
        plugins = os.path.join(self.plugins_folder, "")
        others = [os.path.join(root.folder, "") for root in self.roots]
        apart = not any(plugins.startswith(other) or other.startswith(plugins) for other in others)
        if not apart or not os.path.isdir(plugins):
            return self.roots
        return (*self.roots, SourceFolder(self.plugins_folder, is_plugins=True))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders to watch: DAG files, and the modules that they import."""
        return (*(root.folder for root in self.roots), self.plugins_folder)


def build_dag_processor_settings(cfg: Config) -> DagProcessorSettings:
    """The settings for this configuration; a timeout or limit of 0 means none."""
    bundles = read_dag_bundles(cfg)
    roots = [_local_root(cfg, bundle) for bundle in bundles if bundle.is_local]
    if cfg.boolean("core", "load_examples"):
        roots.append(SourceFolder(examples_folder(), is_bundled=True))
    megabytes = cfg.integer("dag_processor", "parsing_memory_limit")
    return DagProcessorSettings(
        roots=tuple(roots),
        bundles=tuple(bundle for bundle in bundles if not bundle.is_local),
        plugins_folder=os.path.abspath(cfg.plugins_folder),
        regexp_ignore=cfg.text("core", "dag_ignore_file_syntax") == "regexp",
        safe_mode=cfg.boolean("core", "dag_discovery_safe_mode"),
        processes=cfg.integer("dag_processor", "parsing_processes"),
        refresh_s=cfg.number("dag_processor", "refresh_interval"),
        reparse_s=cfg.number("dag_processor", "min_file_process_interval"),
        import_timeout_s=cfg.number("core", "dagbag_import_timeout") or None,
        process_timeout_s=cfg.number("dag_processor", "dag_file_processor_timeout"),
        memory_bytes=megabytes * MEGABYTE or None,
        sort_mode=cfg.text("dag_processor", "file_parsing_sort_mode"),
        paused_by_default=cfg.boolean("core", "dags_are_paused_at_creation"),
        stats_interval_s=cfg.number("dag_processor", "print_stats_interval") or None,
    )


def _local_root(cfg: Config, bundle: DagBundleConfig) -> SourceFolder:
    if bundle.local_folder is None:
        return SourceFolder(os.path.abspath(cfg.dags_folder))
    return SourceFolder(bundle.local_folder, bundle_name=bundle.name)


def examples_folder() -> str:
    """The folder of the package's example DAG files, found without importing any."""
    spec = find_spec("gnomon")
    assert spec is not None and spec.submodule_search_locations, "gnomon is a package"
    return os.path.join(next(iter(spec.submodule_search_locations)), "examples")
