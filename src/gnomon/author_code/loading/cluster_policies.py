"""Cluster policies: functions of `airflow_local_settings` and of installed packages that check and change DAGs and tasks.

The module `airflow_local_settings` is looked for in the folder `config` of the home, and on the import path. An
installed package brings policies under the entry point `airflow.policy`. The functions of the module are called last, so that they decide.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Any

from gnomon.author_code.loading import dialect
from gnomon.author_code.loading.bytecode import SettledSourceLoader
from gnomon.author_code.loading.hooks import POLICY_MARK, HookImplementation, describe_place, list_implementations
from gnomon.author_code.loading.installed_entry_points import POLICY_GROUP, list_entry_points
from gnomon.ground.config import current_config
from gnomon.model.errors.authoring import (
    AirflowClusterPolicyError,
    AirflowClusterPolicySkipDag,
    AirflowClusterPolicyViolation,
    AirflowTaskTimeout,
)
from gnomon.model.errors.error_text import describe_error

MODULE = "airflow_local_settings"
_HOOKS = (
    "task_policy",
    "dag_policy",
    "task_instance_mutation_hook",
    "get_airflow_context_vars",
    "get_dagbag_import_timeout",
    "pod_mutation_hook",
)


LimitCall = Callable[[str], AbstractContextManager[Any]]
"""From the name of a function: a context manager that raises AirflowTaskTimeout when it runs for too long."""


class ClusterPolicyFailed(AirflowClusterPolicyError):
    """A function of a cluster policy raised an unexpected exception; the message names the function, its file and line."""


@dataclass(slots=True)
class ClusterPolicies:
    """The policies of this installation, by hook, in the order of their calls."""

    functions: dict[str, list[HookImplementation]] = field(default_factory=dict)
    local: frozenset[int] = frozenset()
    """The ids of the functions of `airflow_local_settings`, which get their arguments by position."""

    def has(self, hook: str) -> bool:
        """Whether the hook has a function."""
        return bool(self.functions.get(hook))

    def call(self, hook: str, arguments: Mapping[str, Any], limit: LimitCall | None = None) -> list[Any]:
        """Call every function of the hook and return what they return. `limit`: the time limit of each call; None: that of the caller.

        Raises AirflowClusterPolicyViolation and AirflowClusterPolicySkipDag of a function, and ClusterPolicyFailed for any other exception.
        """
        return [
            self._call_one(implementation, arguments, limit or (lambda _: nullcontext()))
            for implementation in self.functions.get(hook, ())
        ]

    def _call_one(self, implementation: HookImplementation, arguments: Mapping[str, Any], limit: LimitCall) -> Any:
        try:
            with limit(implementation.name):
                return (
                    implementation.call_by_position(arguments)
                    if id(implementation) in self.local
                    else implementation.call(arguments)
                )
        except (AirflowClusterPolicyViolation, AirflowClusterPolicySkipDag):
            raise
        except (Exception, SystemExit, AirflowTaskTimeout) as error:
            line = _innermost_line(error, implementation.place.partition(", line ")[0])
            place = (
                implementation.place if line is None else f"{implementation.place.partition(', line ')[0]}, line {line}"
            )
            what = f"failed at {place}: {describe_error(error)}; correct the policy, or remove it"
            if isinstance(error, AirflowTaskTimeout):
                what = f"did not return within its time limit, and was ended at {place}; make it faster, or remove it"
            raise ClusterPolicyFailed(f"the cluster policy {implementation.name} {what}") from error


@dataclass(slots=True)
class PolicyOutcome:
    """What the policies said about the DAGs of a file."""

    refused: dict[str, Exception] = field(default_factory=dict)
    """DAG id to the violation, or to the failure of a policy."""
    skipped: dict[str, str] = field(default_factory=dict)
    """DAG id to the message of AirflowClusterPolicySkipDag."""
    warnings: list[str] = field(default_factory=list)


def apply_policies(dags: Mapping[str, Any]) -> PolicyOutcome:
    """Call `dag_policy` for each DAG, then `task_policy` for each of its tasks; both may change their argument.

    Raises what the module `airflow_local_settings` raises while it is imported.
    """
    outcome = PolicyOutcome()
    policies = load_policies()
    if not policies.has("task_policy") and not policies.has("dag_policy"):
        return outcome
    for dag_id, dag in dags.items():
        try:
            policies.call("dag_policy", {"dag": dag})
            for task in list(dag.task_dict.values()):
                policies.call("task_policy", {"task": task})
        except AirflowClusterPolicySkipDag as skip:
            outcome.skipped[dag_id] = str(skip) or "a cluster policy skips it"
        except (AirflowClusterPolicyViolation, ClusterPolicyFailed) as violation:
            outcome.refused[dag_id] = violation
    return outcome


def describe_policies() -> dict[str, Any]:
    """The fields of a DagSpec that say which policies of this installation are called for its task instances."""
    return {"mutates_instances": True} if load_policies().has("task_instance_mutation_hook") else {}


def mutate_task_instance(task_instance: Any, dag_run: Any) -> None:
    """Call `task_instance_mutation_hook`. Raises as `ClusterPolicies.call` does."""
    known_policies().call("task_instance_mutation_hook", {"task_instance": task_instance, "dag_run": dag_run})


def collect_context_variables(context: Any, limit: LimitCall | None = None) -> dict[str, str]:
    """The environment variables that `get_airflow_context_vars` adds for a task. Raises ClusterPolicyFailed for other values than text."""
    variables: dict[str, str] = {}
    for answer in known_policies().call("get_airflow_context_vars", {"context": context}, limit):
        for name, value in (answer or {}).items():
            if not isinstance(name, str) or not isinstance(value, str):
                raise ClusterPolicyFailed(
                    f"get_airflow_context_vars returned {name!r}: {value!r}; names and values must be texts"
                )
            variables.setdefault(name, value)
    return variables


def find_import_timeout(path: str) -> float | None:
    """The limit in seconds that `get_dagbag_import_timeout` gives for this file, 0 for none; None where no policy gives one."""
    for answer in load_policies().call("get_dagbag_import_timeout", {"dag_file_path": path}):
        if answer is not None:
            if isinstance(answer, bool) or not isinstance(answer, int | float):
                raise ClusterPolicyFailed(
                    f"get_dagbag_import_timeout returned {answer!r} for {path}; return a number of seconds"
                )
            return max(0.0, float(answer))
    return None


def known_policies() -> ClusterPolicies:
    """The policies that this process loaded with its DAG file; none in a process that has loaded no DAG file."""
    return next(iter(_loaded.values()), None) or ClusterPolicies()


_loaded: dict[tuple[str, int], ClusterPolicies] = {}
"""By file of the module and time of its last change: the policies of this process."""


def load_policies() -> ClusterPolicies:
    """The policies of this installation. Raises what the module raises, with its file and line in the message."""
    file = _find_module_file()
    key = (file or "", 0 if file is None else _read_mtime(file))
    policies = _loaded.get(key)
    if policies is None:
        _loaded.clear()
        policies = _loaded[key] = _load(file)
    return policies


def forget_policies() -> None:
    """Forget the policies and their module: the next call loads them anew."""
    _loaded.clear()
    sys.modules.pop(MODULE, None)


def _find_module_file() -> str | None:
    """The first file of the module. That of the folder `config` is opened, which makes it an input of a parse, also while it is missing."""
    file = os.path.join(config_folder(), f"{MODULE}.py")
    try:
        with open(file, "rb"):
            return file
    except OSError:
        pass
    if MODULE in sys.modules and sys.modules[MODULE].__spec__ is not None:
        return sys.modules[MODULE].__file__
    spec = PathFinder.find_spec(MODULE)
    return None if spec is None else spec.origin


def config_folder() -> str:
    """The folder `config` of the home, which is on the import path."""
    return os.path.join(str(current_config().home), "config")


def _read_mtime(file: str) -> int:
    try:
        return os.stat(file).st_mtime_ns
    except OSError:
        return 0


def _load(file: str | None) -> ClusterPolicies:
    functions: dict[str, list[HookImplementation]] = {}
    dialect.enable()
    for entry in list_entry_points(POLICY_GROUP):
        for implementation in list_implementations(entry.load(), POLICY_MARK):
            functions.setdefault(implementation.name, []).append(implementation)
    local: set[int] = set()
    for name, function in ({} if file is None else _list_functions(_import_module(file))).items():
        if name in _HOOKS:
            local_policy = HookImplementation(name, function, describe_place(function))
            local.add(id(local_policy))
            # The first answer of get_airflow_context_vars and get_dagbag_import_timeout counts: the module decides.
            functions.setdefault(name, []).insert(
                0 if name.startswith("get_") else len(functions.get(name, ())), local_policy
            )
    return ClusterPolicies(functions, frozenset(local))


def _import_module(file: str) -> ModuleType:
    loaded_module = sys.modules.get(MODULE)
    if (
        loaded_module is not None
        and loaded_module.__file__ == file
        and getattr(loaded_module, "__mtime__", None) == _read_mtime(file)
    ):
        return loaded_module
    spec = importlib.util.spec_from_file_location(MODULE, file, loader=SettledSourceLoader(MODULE, file))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[MODULE] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        sys.modules.pop(MODULE, None)
        line = error.lineno if isinstance(error, SyntaxError) else _innermost_line(error, file)
        place = file if line is None else f"{file}, line {line}"
        raise ClusterPolicyFailed(f"the cluster policies cannot be loaded: {place}: {describe_error(error)}") from error
    module.__dict__["__mtime__"] = _read_mtime(file)
    return module


def _list_functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The policies of the module: those of `__all__` where it has one."""
    names = getattr(module, "__all__", None)
    hooks = _HOOKS if names is None else [name for name in _HOOKS if name in names]
    return {name: function for name in hooks if callable(function := getattr(module, name, None))}


def _innermost_line(error: BaseException, file: str) -> int | None:
    line = None
    for frame in traceback.extract_tb(error.__traceback__):
        line = frame.lineno if frame.filename == file else line
    return line
