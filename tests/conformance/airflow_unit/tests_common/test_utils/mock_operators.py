"""Operators for tests."""

from __future__ import annotations

from typing import Any

from airflow.sdk import BaseOperator, BaseOperatorLink


class MockOperator(BaseOperator):
    """Has two templated arguments and does nothing."""

    template_fields = ("arg1", "arg2")

    def __init__(self, arg1: Any = "", arg2: Any = "", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.arg1 = arg1
        self.arg2 = arg2

    def execute(self, context: Any) -> None:
        """Does nothing."""


class AirflowLink(BaseOperatorLink):
    """A link of every task."""

    name = "airflow"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The same page for all."""
        return "https://airflow.apache.org"
