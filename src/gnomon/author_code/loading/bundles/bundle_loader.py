"""From the configuration of a DAG bundle to an object of its class, and from a file to its copy in a version of its bundle."""

from __future__ import annotations

import fcntl
import importlib
import os
import sys
from pathlib import Path
from typing import Any

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.bundles.base_bundle import BaseDagBundle, DagBundleError
from gnomon.author_code.loading.bundles.git_bundle import GitDagBundle
from gnomon.author_code.loading.bundles.local_bundle import LocalDagBundle
from gnomon.author_code.loading.bundles.version_cleanup import remove_unused_versions
from gnomon.ground.config import current_config
from gnomon.ground.config.dag_bundles import (
    GIT_BUNDLE_CLASS,
    LOCAL_BUNDLE_CLASS,
    DagBundleConfig,
    bundle_folder,
    find_dag_bundle,
    read_dag_bundles,
)
from gnomon.ground.config.option import OptionError
from gnomon.model.errors.error_text import describe_error
from gnomon.model.sentences import say

_BUILT_IN: dict[str, type[BaseDagBundle]] = {LOCAL_BUNDLE_CLASS: LocalDagBundle, GIT_BUNDLE_CLASS: GitDagBundle}
_held_locks: dict[Path, int] = {}
"""The locks of versions that this process, and its forks, use until they end."""


def create_bundle(config: DagBundleConfig, version: str | None = None) -> BaseDagBundle:
    """The bundle, not initialized. Raises DagBundleError when its class cannot be imported or refuses the arguments."""
    made_of = _BUILT_IN.get(config.classpath) or _import_class(config)
    try:
        bundle = made_of(name=config.name, version=version, refresh_interval=config.refresh_s, **config.kwargs)
    except TypeError as error:
        raise DagBundleError(
            say("bundle_refuses_arguments", name=config.name, class_path=config.classpath, error=str(error))
        ) from error
    return bundle


def locate_in_version(file: str, bundle_name: str | None, version: str | None) -> str:
    """The path of a DAG file in a version of its bundle, which is brought here if it is missing; `file` itself without a version.

    The version is kept until this process and its forks have ended. Raises DagBundleError or OptionError.
    """
    if bundle_name is None or version is None:
        return file
    config = find_dag_bundle(current_config(), bundle_name)
    newest, bundle = create_bundle(config), create_bundle(config, version)
    relative = os.path.relpath(file, newest.path)
    if relative.startswith(os.pardir):
        raise DagBundleError(say("file_is_outside_bundle", file=file, folder=str(newest.path), name=bundle_name))
    is_new = not bundle.path.is_dir()
    _hold(bundle)
    bundle.initialize()
    if is_new:
        remove_unused_versions(bundle.versions_dir)
    return os.path.join(bundle.path, relative)


def find_bundle_root(file: str) -> str | None:
    """The folder of the DAG bundle that contains the file, from which its modules are imported; None: it is in no bundle."""
    cfg = current_config()
    try:
        bundles = read_dag_bundles(cfg)
    except OptionError:
        return None  # the dag-processor says so
    for config in bundles:
        folder = config.local_folder
        if folder is not None and file.startswith(os.path.join(folder, "")):
            return folder
        if not config.is_local and file.startswith(os.path.join(bundle_folder(cfg, config.name), "")):
            parts = Path(file).relative_to(bundle_folder(cfg, config.name)).parts
            depth = 2 if parts[0] == "versions" else 1
            return os.path.join(
                bundle_folder(cfg, config.name), *parts[:depth], str(config.kwargs.get("subdir") or "")
            ).rstrip("/")
    return None


def _hold(bundle: BaseDagBundle) -> None:
    """Mark the version as used until this process and its forks have ended."""
    path = bundle.versions_dir / f"{bundle.version}.lock"
    if path not in _held_locks:
        path.parent.mkdir(parents=True, exist_ok=True)
        _held_locks[path] = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(_held_locks[path], fcntl.LOCK_SH)
    os.utime(path)


def _import_class(config: DagBundleConfig) -> Any:
    """The class of the author or of a provider package."""
    dialect.enable()
    plugins = str(current_config().plugins_folder)
    if plugins not in sys.path:
        sys.path.append(plugins)
    module, _, name = config.classpath.rpartition(".")
    try:
        bundle_class = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # the edge of author code
        raise DagBundleError(
            say(
                "bundle_class_cannot_be_imported",
                class_path=config.classpath,
                name=config.name,
                error=describe_error(error),
            )
        ) from error
    if not (isinstance(bundle_class, type) and issubclass(bundle_class, BaseDagBundle)):
        raise DagBundleError(say("bundle_class_is_no_bundle", class_path=config.classpath, name=config.name))
    return bundle_class
