"""A sensor that asks a Bash command."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.config.environment import environment
from gnomon.errors.authoring import AirflowFailException
from gnomon.operators.process import SubprocessHook
from gnomon.sdk.sensor import BaseSensorOperator


class BashSensor(BaseSensorOperator):
    """Waits until the command exits with 0. With `retry_exit_code` any code but that one and 0 fails the task."""

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
        """The process group of the command was told to end."""
        if self._hook is not None:
            self._hook.send_sigterm()
