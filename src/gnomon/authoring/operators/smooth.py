"""SmoothOperator: logs the address of a song."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.tasks.operator import BaseOperator


class SmoothOperator(BaseOperator):
    """Logs a link to the song "Smooth Operator"."""

    ui_color = "#e8f7e4"
    yt_link: str = "https://www.youtube.com/watch?v=4TYv2PhG89A"

    def execute(self, context: Any) -> None:
        self.log.info("Enjoy Sade - Smooth Operator: %s", self.yt_link)
