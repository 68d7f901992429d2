"""Where the outcomes of parsing go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gnomon.model.spec import FileInputs, ParsedFile


class RegistryUnavailable(Exception):
    """The store cannot be reached now; what was to be recorded is to be recorded again later."""


class FileRegistry(Protocol):
    """The dag-processor's side of the store; tests keep one in memory. Every method may raise Away."""

    def list_files(self) -> dict[str, FileInputs]:
        """Every file on record, with the inputs of its last parse."""

    def failed_imports(self) -> set[str]:
        """The files on record that could not be imported."""

    def list_stale(self) -> set[str]:
        """Files on record that are to be parsed again though nothing in them has changed."""

    def record_outcomes(self, files: Sequence[ParsedFile]) -> set[str]:
        """The outcomes are on record; returns files to be parsed again, because a DAG id is free now. Harmless when repeated."""

    def remove_files(self, paths: Sequence[str]) -> set[str]:
        """These files are no DAG files any more, their DAGs are deactivated; returns files to be parsed again."""
