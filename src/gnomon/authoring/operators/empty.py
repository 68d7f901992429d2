"""A task that does nothing, for joining and naming points of a graph."""

from __future__ import annotations

from typing import Any, ClassVar

from gnomon.authoring.sdk.tasks.operator import BaseOperator


class EmptyOperator(BaseOperator):
    """Succeeds at once. Without callbacks it needs no process."""

    ui_color = "#e8f7e4"
    runs_code: ClassVar[bool] = False

    def execute(self, context: Any) -> None:
        """Do nothing."""
