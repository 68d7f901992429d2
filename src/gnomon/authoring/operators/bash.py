"""Operators and a sensor that run a Bash command."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Container, Sequence
from typing import Any, ClassVar

from gnomon.authoring.operators.subprocess_hook import SubprocessHook
from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.tasks.decorated_operators import DecoratedOperator
from gnomon.authoring.sdk.tasks.function_calls import call_with_context
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.ground.config.environment import environment
from gnomon.model.errors.authoring import AirflowException, AirflowFailException, AirflowSkipException

CONTEXT_PREFIXES = ("AIRFLOW_CTX_", "GNOMON_CTX_", "TRACEPARENT")


def _identity(line: str) -> Any:
    return line


class BashOperator(BaseOperator):
    """Runs `bash_command` (or the `.sh` or `.bash` file that it names) and returns its last line of output.

    An exit code in `skip_on_exit_code` skips the task; any other code except 0 fails it. `env` replaces the environment; with
    `append_env` it is added to the environment. Without `cwd` the command runs in a temporary folder.
    """

    template_fields: ClassVar[Collection[str]] = ("bash_command", "env", "cwd")
    template_fields_renderers: ClassVar[dict[str, str]] = {"bash_command": "bash", "env": "json"}
    template_ext: ClassVar[Sequence[str]] = (".sh", ".bash")
    ui_color = "#f0ede4"

    def __init__(
        self,
        *,
        bash_command: Any,
        env: dict[str, str] | None = None,
        append_env: bool = False,
        output_encoding: str = "utf-8",
        skip_on_exit_code: int | Container[int] | None = 99,
        cwd: str | os.PathLike[str] | None = None,
        output_processor: Callable[[str], Any] = _identity,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(bash_command, str) and not hasattr(bash_command, "resolve"):
            raise TypeError(
                f"bash_command of task {self.task_id!r}{format_location(self._location)} must be text, not {bash_command!r} "
                f"({type(bash_command).__name__})."
            )
        self.bash_command = bash_command
        self.env = env
        self.append_env = append_env
        self.output_encoding = output_encoding
        self.skip_on_exit_code = _to_codes(skip_on_exit_code)
        self.cwd = cwd
        self.output_processor = output_processor
        self._hook: SubprocessHook | None = None

    @property
    def subprocess_hook(self) -> SubprocessHook:
        """The hook that runs the command, and ends it when the attempt is terminated."""
        if self._hook is None:
            self._hook = SubprocessHook(self.log)
        return self._hook

    def get_env(self, context: Any) -> dict[str, str]:
        """Return the environment of the command: that of this process (unless `env` replaces it), `env`, and the variables of the run."""
        system = environment()
        chosen = system if self.env is None else {**system, **self.env} if self.append_env else dict(self.env)
        run = {key: value for key, value in system.items() if key.startswith(CONTEXT_PREFIXES)}
        return {**chosen, **run}

    def execute(self, context: Any) -> Any:
        bash = shutil.which("bash") or "bash"
        result = self.subprocess_hook.run_command(
            [bash, "-c", self.bash_command],
            env=self.get_env(context),
            output_encoding=self.output_encoding,
            cwd=self._checked_cwd(),
        )
        if result.exit_code in self.skip_on_exit_code:
            raise AirflowSkipException(f"Bash command returned exit code {result.exit_code}. Skipping.")
        if result.exit_code != 0:
            raise AirflowException(
                f"Bash command failed. The command returned a non-zero exit code {result.exit_code}."
            )
        return self.output_processor(result.output)

    def _checked_cwd(self) -> str | None:
        if self.cwd is None:
            return None
        if not os.path.exists(self.cwd):
            raise AirflowException(
                f"Can not find the cwd: {self.cwd}. Create the folder on the worker, or give cwd= of task {self.task_id!r} another one."
            )
        if not os.path.isdir(self.cwd):
            raise AirflowException(
                f"The cwd {self.cwd} must be a directory; give cwd= of task {self.task_id!r} a folder."
            )
        return os.fspath(self.cwd)

    def on_kill(self) -> None:
        """Send SIGTERM to the process group of the command."""
        if self._hook is not None:
            self._hook.send_sigterm()


def _to_codes(codes: int | Container[int] | None) -> Container[int]:
    if codes is None:
        return ()
    return (codes,) if isinstance(codes, int) else codes


class BashDecoratedOperator(DecoratedOperator, BashOperator):
    """`@task.bash`: the function returns the command, which is rendered as a template and run."""

    template_fields: ClassVar[Collection[str]] = (*DecoratedOperator.template_fields, *BashOperator.template_fields)
    class_name_in_airflow = "_BashDecoratedOperator"
    custom_operator_name = "@task.bash"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(kwargs_to_upstream={"bash_command": ""}, **kwargs)

    def execute(self, context: Any) -> Any:
        """Call the function and run the command that it returns; raise TypeError when it returns no text."""
        command = call_with_context(self.python_callable, self.op_args, self.op_kwargs, context)
        if not isinstance(command, str) or not command.strip():
            raise TypeError(
                f"The function of @task.bash task {self.task_id!r} must return the command as text, not {command!r}."
            )
        self.bash_command = self.render_template(command, context)
        return BashOperator.execute(self, context)


class BashSensor(BaseSensorOperator):
    """Waits until the command exits with 0. With `retry_exit_code` any other code except 0 fails the task."""

    template_fields: ClassVar[Collection[str]] = ("bash_command", "env")

    def __init__(
        self,
        *,
        bash_command: str,
        env: dict[str, str] | None = None,
        output_encoding: str = "utf-8",
        retry_exit_code: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.bash_command = bash_command
        self.env = env
        self.output_encoding = output_encoding
        self.retry_exit_code = retry_exit_code
        self._hook: SubprocessHook | None = None

    def poke(self, context: Any) -> bool:
        self._hook = SubprocessHook(self.log)
        result = self._hook.run_command(
            ["bash", "-c", self.bash_command],
            env=environment() if self.env is None else self.env,
            output_encoding=self.output_encoding,
        )
        if result.exit_code == 0:
            return True
        if self.retry_exit_code is not None and result.exit_code != self.retry_exit_code:
            raise AirflowFailException(f"Command exited with {result.exit_code}, which is not retry_exit_code.")
        return False

    def on_kill(self) -> None:
        """Send SIGTERM to the process group of the command."""
        if self._hook is not None:
            self._hook.send_sigterm()
