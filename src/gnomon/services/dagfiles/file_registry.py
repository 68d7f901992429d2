"""The interface through which the dag-processor records the outcomes of parsing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from gnomon.model.spec import FileInputs, ParsedFile


class RegistryUnavailable(Exception):
    """The store is unavailable; the caller records the same outcomes again later."""


class FileRegistry(Protocol):
    """The record of DAG files: DatabaseFileRegistry, or one in memory in tests. Every method may raise RegistryUnavailable."""

    def list_files(self) -> dict[str, FileInputs]:
        """Every recorded file, with the inputs of its last parse."""

    def failed_imports(self) -> set[str]:
        """The recorded files that could not be imported."""

    def list_stale(self) -> set[str]:
        """Recorded files to parse again although their inputs have not changed."""

    def record_outcomes(self, files: Sequence[ParsedFile]) -> set[str]:
        """Record the outcomes; returns files to parse again because a dag_id has become free. Idempotent."""

    def move_to_bundle_version(self, bundle_name: str, version: str) -> int:
        """Record that the files of a bundle are those of this version; returns how many changed. Idempotent."""

    def remove_files(self, paths: Sequence[str]) -> set[str]:
        """Record that these files are gone and deactivate their DAGs; returns files to parse again."""
