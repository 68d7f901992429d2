"""Features of Airflow without effect: operator links, which are not shown."""

from __future__ import annotations

from typing import Any, ClassVar


class BaseOperatorLink:
    """Base class of operator links: a name and the URL for a task instance."""

    name: ClassVar[str] = ""
    operators: ClassVar[list[type]] = []

    @property
    def xcom_key(self) -> str:
        """The key of the XCom with the URL."""
        return f"_link_{type(self).__name__}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The URL for a task instance; subclasses override this method."""
        return ""

