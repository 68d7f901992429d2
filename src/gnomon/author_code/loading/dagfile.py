"""Imports a DAG file in this process and finds the DAGs that it defines."""

from __future__ import annotations

import hashlib
import os
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import cast

from gnomon.author_code.loading import archives, bytecode, cluster_policies, dialect, new_packages, plugin_finder
from gnomon.author_code.loading.bundles.bundle_loader import find_bundle_root
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.nodes.authoring_state import collect_dags, set_parsing_context
from gnomon.ground.config import current_config
from gnomon.model.ids import DAG_FILE_MODULE

WARNINGS_MAX = 50
"""The number of warnings kept for one file; a loop may raise thousands."""


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """The result of importing a DAG file."""

    dags: dict[str, DAG]
    """The DAGs by DAG id, in the order of definition."""
    module: ModuleType
    warnings: tuple[str, ...] = ()
    """`file:line: Category: text`, each once."""
    repeated: tuple[str, ...] = ()
    """DAG ids that more than one DAG object of this file has; `dags` has the first of them.

    A DAG that the same line has made twice, because an import of the file has imported the file itself, is one DAG.
    """
    refused: dict[str, Exception] = field(default_factory=dict)
    """DAGs that a cluster policy does not allow, which are not in `dags`: DAG id to the error."""


def load_dag_file(path: str | os.PathLike[str], *, only_dag: str | None = None) -> LoadedFile:
    """Import the file in this process, with Airflow's names enabled and the DAG and plugin folders on `sys.path`.

    `path` is a Python file or `archive.zip/member.py`. `only_dag` is the value of `get_parsing_context().dag_id` meanwhile: a
    file that generates many DAGs can make only this DAG. Exceptions of the file propagate.
    """
    file = os.path.abspath(path)
    extend_search_path(file)
    module = _new_module(file)
    code: CodeType = compile(archives.read_source(file), file, "exec", dont_inherit=True)
    sys.modules[module.__name__] = module
    try:
        with (
            warnings.catch_warnings(record=True) as caught,
            collect_dags() as registered,
            set_parsing_context(only_dag),
        ):
            warnings.simplefilter("default")
            warnings.simplefilter("ignore", ResourceWarning)
            exec(code, module.__dict__)  # noqa: S102 - to run the author's file is the purpose
    except BaseException:
        sys.modules.pop(module.__name__, None)
        raise
    dags, repeated = _collect_dags(module, cast("list[DAG]", registered))
    policies = cluster_policies.apply_policies(dags)
    for dag_id in (*policies.refused, *policies.skipped):
        del dags[dag_id]
    notes = [
        *policies.warnings,
        *(f"{file}: DAG {dag_id!r} is left out by a cluster policy: {why}" for dag_id, why in policies.skipped.items()),
    ]
    return LoadedFile(dags, module, (*_format_warnings(caught), *notes), repeated, policies.refused)


def extend_search_path(path: str) -> None:
    """Let `import` find Airflow's names, the archive that contains `path`, and the modules of the DAG and plugin folders."""
    dialect.enable()
    new_packages.find_new_packages()
    options = current_config()
    folders = _list_author_folders()
    root = find_bundle_root(path)
    if root is not None and root not in folders:
        folders.insert(0, root)
    bytecode.install_bytecode_hook(folders)
    plugin_finder.install_plugin_finder(str(options.plugins_folder))
    place = archives.locate_source(path)
    if place.member is not None and place.file not in sys.path:
        sys.path.insert(0, place.file)
    elif place.member is None and not _is_below(path, folders):
        folders.append(os.path.dirname(path))
    sys.path.extend(folder for folder in folders if folder not in sys.path)


def prepare_search() -> None:
    """Do what `extend_search_path` does for every file, once for all forks of this process; nothing becomes importable."""
    bytecode.install_bytecode_hook(_list_author_folders())


def _list_author_folders() -> list[str]:
    options = current_config()
    return [str(options.dags_folder), str(options.plugins_folder), cluster_policies.config_folder()]


def module_name(path: str) -> str:
    """Return the module name of the file at `path`: the same in every process, and different for each path."""
    stem = Path(path).stem.replace(".", "_")
    return f"{DAG_FILE_MODULE}{hashlib.sha256(path.encode()).hexdigest()[:16]}_{stem}"


def is_loaded(dag: DAG) -> bool:
    """Return whether `load_dag_file` has imported the file of the DAG in this process, and has applied the cluster policies to it."""
    return module_name(dag.fileloc) in sys.modules


def is_file(path: str) -> bool:
    """Return whether another process can load a DAG file from `path`: DAGs of a notebook or of `python -c` have no file."""
    return os.path.isfile(archives.locate_source(path).file)


def _new_module(path: str) -> ModuleType:
    name = module_name(path)
    loader = SourceFileLoader(name, path)
    module = ModuleType(name)
    module.__file__ = path
    module.__loader__ = loader
    module.__spec__ = ModuleSpec(name, loader, origin=path)
    return module


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path.startswith(os.path.join(folder, "")) for folder in folders)


def _collect_dags(module: ModuleType, registered: list[DAG]) -> tuple[dict[str, DAG], tuple[str, ...]]:
    """Return the DAGs that the file registered or assigned to a global, and the ids that more than one DAG object has."""
    candidates = list(registered)
    candidates += [value for value in list(vars(module).values()) if isinstance(value, DAG)]
    dags: dict[str, DAG] = {}
    repeated: list[str] = []
    for dag in candidates:
        first_dag = dags.setdefault(dag.dag_id, dag)
        if (
            first_dag is not dag
            and dag.dag_id not in repeated
            and not (first_dag.code_location == dag.code_location and _is_imported_too(module))
        ):
            repeated.append(dag.dag_id)
    return dags, tuple(repeated)


def _is_imported_too(module: ModuleType) -> bool:
    """Whether the file of the module is imported under another name as well: by itself, as the `__init__.py` of a package often is."""
    return any(
        other is not module and getattr(other, "__dict__", {}).get("__file__") == module.__file__
        for other in list(sys.modules.values())
    )


def _format_warnings(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    lines = (f"{item.filename}:{item.lineno}: {item.category.__name__}: {item.message}" for item in caught)
    return tuple(dict.fromkeys(lines))[:WARNINGS_MAX]
