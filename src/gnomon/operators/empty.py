"""A task that does nothing: it joins, splits and names places in a graph."""

from __future__ import annotations

from typing import Any, ClassVar

from gnomon.sdk.tasks.operator import BaseOperator


class EmptyOperator(BaseOperator):
    """Succeeds at once. Without callbacks it costs no process."""

    ui_color = "#e8f7e4"
    runs_code: ClassVar[bool] = False

    def execute(self, context: Any) -> None:
        """Nothing happens."""
