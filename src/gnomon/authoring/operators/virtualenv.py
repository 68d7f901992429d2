"""Operators that call a Python function in another interpreter: in a virtual environment of their own, or in an existing one."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import types
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from gnomon.authoring.operators import interpreter_call
from gnomon.authoring.operators.command_output import CommandFailed, run_logged
from gnomon.authoring.operators.context_values import select_context_values
from gnomon.authoring.operators.package_index_hook import PackageIndexHook
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.operators.python_environments import EnvironmentSpec, build_environment, find_or_build_environment
from gnomon.authoring.sdk.arguments.code_location import find_author_location, format_location
from gnomon.authoring.sdk.connections.variable import Variable
from gnomon.authoring.sdk.tasks.branching import BaseBranchOperator
from gnomon.ground.config import current_config
from gnomon.ground.config.environment import environment
from gnomon.model.errors.authoring import AirflowException, AirflowSkipException

CACHE_KEY_VARIABLE = "python_virtualenv_operator_cache_key"
"""The Variable whose value is a part of the hash of cached environments: a new value makes new environments."""
_PASSED_ON = ("GNOMON_HOME", "PYTHONPATH")


class InterpreterOperator(PythonOperator):
    """Calls a function in another interpreter: its source, arguments and result travel as files.

    The function must be written with `def`, without `yield`, and may use no name from outside itself; it imports what it needs.
    """

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        serializer: str | None = None,
        use_dill: bool = False,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        string_args: Iterable[str] | None = None,
        expect_airflow: bool = True,
        skip_on_exit_code: int | Container[int] | None = None,
        env_vars: dict[str, str] | None = None,
        inherit_env: bool = True,
        **kwargs: Any,
    ) -> None:
        name, place = type(self).__name__, format_location(find_author_location())
        if not isinstance(python_callable, types.FunctionType) or python_callable.__name__ == "<lambda>":
            raise ValueError(
                f"{name} only supports functions for python_callable arg: write it with `def`, as a plain function{place}."
            )
        if inspect.isgeneratorfunction(python_callable):
            raise ValueError(f"{name} does not support using 'yield' in python_callable; return a list instead{place}.")
        super().__init__(python_callable=python_callable, op_args=op_args, op_kwargs=op_kwargs, **kwargs)
        self.serializer = self._choose_serializer(serializer, use_dill)
        self.string_args = list(string_args or ())
        self.expect_airflow = expect_airflow
        self.expect_pendulum = False
        self.skip_on_exit_code: Container[int] = (
            []
            if skip_on_exit_code is None
            else [skip_on_exit_code]
            if isinstance(skip_on_exit_code, int)
            else skip_on_exit_code
        )
        self.env_vars = env_vars
        self.inherit_env = inherit_env
        self._process: subprocess.Popen[bytes] | None = None

    def _choose_serializer(self, serializer: str | None, use_dill: bool) -> str:
        if use_dill and serializer not in (None, "dill"):
            raise AirflowException(
                f"Task {self.task_id!r} has use_dill and serializer={serializer!r}; give serializer alone."
            )
        chosen = "dill" if use_dill else serializer or "pickle"
        if chosen not in interpreter_call.SERIALIZERS:
            raise AirflowException(
                f"Unsupported serializer {chosen!r} of task {self.task_id!r}{format_location(self._location)}. "
                f"Expected one of {', '.join(map(repr, interpreter_call.SERIALIZERS))}."
            )
        return chosen

    def execute(self, context: Any) -> Any:
        if self.templates_dict is not None:
            context["templates_dict"] = self.templates_dict
        value = self._run_in_interpreter(self.find_python(), context)
        self.log.info("Done. Returned value was: %s", value if self.show_return_value_in_logs else "not shown")
        return value

    def find_python(self) -> Path:
        """Return the path of the interpreter that runs the function. Subclasses define it."""
        raise NotImplementedError

    def _run_in_interpreter(self, python: Path, context: Any) -> Any:
        values, names = select_context_values(self.python_callable, self.op_args, self.op_kwargs, context, self.task_id)
        with TemporaryDirectory(prefix="venv-call") as scratch:
            folder = Path(scratch)
            script = interpreter_call.write_call(
                folder,
                self.python_callable,
                serializer=self.serializer,
                args=list(self.op_args),
                kwargs=self._own_kwargs(),
                context=values,
                names=names,
                string_args=self.string_args,
                expect_airflow=self.expect_airflow,
                expect_pendulum=self.expect_pendulum,
                task_id=self.task_id,
            )
            try:
                run_logged(
                    [str(python), str(script), str(folder)],
                    env=self._make_environment(),
                    on_start=self._remember_process,
                )
            except CommandFailed as failure:
                self._raise_failure(failure, folder)
            return interpreter_call.read_result(folder, self.serializer, self.task_id)

    def _own_kwargs(self) -> dict[str, Any]:
        """The items of `op_kwargs` that the function takes."""
        parameters = inspect.signature(self.python_callable).parameters.values()
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
            return dict(self.op_kwargs)
        taken = {parameter.name for parameter in parameters}
        return {name: value for name, value in self.op_kwargs.items() if name in taken}

    def _make_environment(self) -> dict[str, str]:
        own = dict(environment())
        env = (
            own
            if self.inherit_env
            else {name: own[name] for name in _PASSED_ON if name in own and name != "PYTHONPATH"}
        )
        env.update(self.env_vars or {})
        folders = [env.get("PYTHONPATH"), str(current_config().dags_folder)]
        env["PYTHONPATH"] = os.pathsep.join(folder for folder in folders if folder)
        return env

    def _remember_process(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def _raise_failure(self, failure: CommandFailed, folder: Path) -> None:
        if failure.returncode in self.skip_on_exit_code:
            raise AirflowSkipException(f"Process exited with code {failure.returncode}. Skipping.") from None
        error = interpreter_call.read_error(folder)
        shown = error if error is not None else f"Its output ends with:\n{failure.tail or '(no output)'}"
        raise AirflowException(f"Process returned non-zero exit status {failure.returncode}.\n{shown}") from None

    def on_kill(self) -> None:
        """Terminate the interpreter."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()


class PythonVirtualenvOperator(InterpreterOperator):
    """Calls a function in a virtual environment that is built for the task, and deleted or cached afterwards.

    `requirements`: a list of requirements, or the path of a templated `.txt` file. `python_version`: such as `3.11`; that
    interpreter must be installed. `venv_cache_path`: a folder that keeps environments, one for each set of arguments.
    """

    template_fields: ClassVar[Collection[str]] = (
        "templates_dict",
        "op_args",
        "op_kwargs",
        "requirements",
        "index_urls",
        "index_urls_from_connection_ids",
        "venv_cache_path",
    )
    template_ext: ClassVar[Sequence[str]] = (".txt",)

    def __init__(
        self,
        *,
        python_callable: Callable[..., Any],
        requirements: Iterable[str] | str | None = None,
        python_version: Any = None,
        system_site_packages: bool = True,
        pip_install_options: list[str] | None = None,
        op_args: Collection[Any] | None = None,
        op_kwargs: Mapping[str, Any] | None = None,
        index_urls: Collection[str] | str | None = None,
        index_urls_from_connection_ids: Collection[str] | str | None = None,
        venv_cache_path: str | os.PathLike[str] | None = None,
        **kwargs: Any,
    ) -> None:
        if python_version is not None and not isinstance(python_version, str):
            raise AirflowException(
                f"Passing non-string types (e.g. int or float) as python_version not supported{format_location(self._location)}: "
                f'write "{python_version}" in quotes.'
            )
        if python_version and python_version.split(".")[0] != str(sys.version_info.major) and (op_args or op_kwargs):
            raise AirflowException(
                "Passing op_args or op_kwargs is not supported across different Python major versions for PythonVirtualenvOperator. "
                f"Please use string_args. Sys version: {sys.version_info}. Virtual environment version: {python_version}"
            )
        super().__init__(python_callable=python_callable, op_args=op_args, op_kwargs=op_kwargs, **kwargs)
        self.requirements = _to_list(requirements) or []
        self.python_version = python_version
        self.system_site_packages = system_site_packages
        self.pip_install_options = pip_install_options
        self.index_urls = _to_list(index_urls)
        self.index_urls_from_connection_ids = _to_list(index_urls_from_connection_ids)
        self.venv_cache_path = venv_cache_path

    def execute(self, context: Any) -> Any:
        if self.venv_cache_path:
            return super().execute(context)
        with TemporaryDirectory(prefix="venv") as scratch:
            self._scratch = Path(scratch)
            return super().execute(context)

    def find_python(self) -> Path:
        spec = self.describe_environment()
        if self.venv_cache_path:
            return find_or_build_environment(Path(self.venv_cache_path), spec, self.task_id)
        return build_environment(self._scratch, spec, self.task_id)

    def describe_environment(self) -> EnvironmentSpec:
        """Return the arguments of the environment, with the indexes of the connections."""
        urls = self.index_urls
        for conn_id in self.index_urls_from_connection_ids or ():
            urls = [*(urls or ()), PackageIndexHook(conn_id).get_connection_url()]
        key = str(Variable.get(CACHE_KEY_VARIABLE, "")) if self.venv_cache_path else ""
        return EnvironmentSpec(
            requirements=tuple(self._list_requirements()),
            python_version=self.python_version,
            system_site_packages=self.system_site_packages,
            pip_install_options=tuple(self.pip_install_options or ()),
            index_urls=None if urls is None else tuple(urls),
            cache_key=key,
        )

    def _list_requirements(self) -> list[str]:
        """The requirements, sorted; with the serializer for an environment that sees no other packages."""
        requirements = [str(requirement) for requirement in self.requirements]
        if not self.system_site_packages and self.serializer != "pickle" and self.serializer not in requirements:
            requirements.append(self.serializer)
        return sorted(requirements)


class ExternalPythonOperator(InterpreterOperator):
    """Calls a function with the interpreter `python`, the absolute path of one that is installed already."""

    template_fields: ClassVar[Collection[str]] = ("templates_dict", "op_args", "op_kwargs", "python")

    def __init__(
        self, *, python: str, python_callable: Callable[..., Any], expect_pendulum: bool = False, **kwargs: Any
    ) -> None:
        if not python:
            raise ValueError(
                f"Python Path must be defined in ExternalPythonOperator{format_location(find_author_location())}: give python= the absolute path "
                "of an interpreter."
            )
        super().__init__(python_callable=python_callable, **kwargs)
        self.python = python
        self.expect_pendulum = expect_pendulum

    def find_python(self) -> Path:
        path = Path(self.python)
        for holds, what in (
            (path.exists(), "exist"),
            (path.is_file(), "be a file"),
            (path.is_absolute(), "be an absolute path"),
        ):
            if not holds:
                raise ValueError(
                    f"Python Path '{path}' of task {self.task_id!r} must {what}. Give python= the absolute path of an interpreter on the worker."
                )
        return path


class BranchPythonVirtualenvOperator(BaseBranchOperator, PythonVirtualenvOperator):
    """Follows the tasks or groups whose ids the function returns in its virtual environment, and skips the others."""

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        chosen: str | Iterable[str] | None = PythonVirtualenvOperator.execute(self, context)
        return chosen


class BranchExternalPythonOperator(BaseBranchOperator, ExternalPythonOperator):
    """Follows the tasks or groups whose ids the function returns in the other interpreter, and skips the others."""

    def choose_branch(self, context: Any) -> str | Iterable[str] | None:
        chosen: str | Iterable[str] | None = ExternalPythonOperator.execute(self, context)
        return chosen


def _to_list(value: Any) -> Any:
    """Return a list of texts; None and a function, which is called when the field is rendered, stay as they are."""
    if value is None or callable(value):
        return value
    return [value] if isinstance(value, str) else list(value)
