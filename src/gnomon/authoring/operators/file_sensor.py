"""A sensor that waits for a file."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Collection
from typing import Any, ClassVar

from gnomon.authoring.operators.filesystem_hook import DEFAULT_CONN_ID, FSHook, find_file
from gnomon.authoring.operators.triggers.file import FileTrigger
from gnomon.authoring.sdk.arguments.option_defaults import resolve_deferrable
from gnomon.authoring.sdk.deferral.triggers import StartTriggerArgs
from gnomon.authoring.sdk.tasks.sensor import BaseSensorOperator
from gnomon.model.errors.authoring import AirflowException


class FileSensor(BaseSensorOperator):
    """Waits until a file matches `filepath`, or is in a folder that matches it. `recursive` lets ** match several folders.

    A relative path begins at the folder of the connection `fs_conn_id`. With `start_from_trigger` and deferrable, the task
    needs no worker before its wait, unless the path is relative or a template.
    """

    template_fields: ClassVar[Collection[str]] = ("filepath", "fs_conn_id")
    ui_color = "#91818a"
    start_trigger_args = StartTriggerArgs(f"{FileTrigger.__module__}.{FileTrigger.__qualname__}", "execute_complete")

    def __init__(
        self,
        *,
        filepath: str | os.PathLike[str],
        fs_conn_id: str = DEFAULT_CONN_ID,
        recursive: bool = False,
        deferrable: bool | None = None,
        start_from_trigger: bool = False,
        trigger_kwargs: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.filepath = (
            filepath if isinstance(filepath, str) or not hasattr(filepath, "__fspath__") else os.fspath(filepath)
        )
        self.fs_conn_id = fs_conn_id
        self.recursive = recursive
        self.deferrable = resolve_deferrable(deferrable)
        self.start_from_trigger = start_from_trigger and self.deferrable and self._is_constant_path()
        if self.start_from_trigger and self.start_trigger_args is not None:
            self.start_trigger_args.timeout = dt.timedelta(seconds=self.timeout)
            self.start_trigger_args.trigger_kwargs = {
                **self._make_trigger_kwargs(str(self.filepath)),
                **(trigger_kwargs or {}),
            }

    @property
    def path(self) -> str:
        """The pattern as an absolute path."""
        return os.path.join(FSHook(self.fs_conn_id).get_path(), self.filepath)

    def poke(self, context: Any) -> bool:
        self.log.info("poking for file %s", self.path)
        path = find_file(self.path, self.recursive)
        if path is not None:
            self.log.info("found file %s", path)
        return path is not None

    def execute(self, context: Any) -> Any:
        """Return when the file exists; a deferrable sensor waits by a trigger."""
        if not self.deferrable:
            return super().execute(context)
        if not self.poke(context):
            self.defer(
                trigger=FileTrigger(**self._make_trigger_kwargs(self.path)),
                method_name="execute_complete",
                timeout=self.timeout,
            )
        return None

    def execute_complete(self, context: Any, event: bool | None = None) -> None:
        """Called when the trigger has fired. Raises AirflowException when the event is false."""
        if not event:
            raise AirflowException(f"{self.task_id} task failed as {self.filepath} not found.")
        self.log.info("%s completed successfully as %s found.", self.task_id, self.filepath)

    def _is_constant_path(self) -> bool:
        return isinstance(self.filepath, str) and os.path.isabs(self.filepath) and "{{" not in self.filepath

    def _make_trigger_kwargs(self, path: str) -> dict[str, Any]:
        return {"filepath": path, "recursive": self.recursive, "poke_interval": self.poke_interval}
