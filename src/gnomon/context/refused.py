"""Context keys whose feature is not there yet: present, so that handing the context around works, refusing on use."""

from __future__ import annotations

from typing import Any, NoReturn

from gnomon.errors import UserMistake

COVERAGE = "docs/reference/airflow-coverage.md"


class NotYet:
    """A context value of a feature that Gnomon does not have yet."""

    def __init__(self, name: str, feature: str) -> None:
        self._name = name
        self._feature = feature

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        self._refuse()

    def __getitem__(self, key: object) -> Any:
        self._refuse()

    def __setitem__(self, key: object, value: object) -> None:
        self._refuse()

    def __repr__(self) -> str:
        return f"<{self._name}: {self._feature} are not supported yet>"

    def _refuse(self) -> NoReturn:
        raise UserMistake(f"The context's {self._name!r} cannot be used: {self._feature} are not supported yet; "
                          f"see {COVERAGE}.")
