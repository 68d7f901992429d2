"""Links from a task to outside systems: a word that classes derive from; nothing shows the links yet."""

from __future__ import annotations

from typing import Any, ClassVar


class BaseOperatorLink:
    """Base of operator links: a name and where it leads."""

    name: ClassVar[str] = ""
    operators: ClassVar[list[type]] = []

    @property
    def xcom_key(self) -> str:
        """The key under which a task pushes the address."""
        return f"_link_{type(self).__name__}"

    def get_link(self, operator: Any, *, ti_key: Any) -> str:
        """The address for one task instance; subclasses write it."""
        return ""
