"""BundleErrors: a DAG bundle that cannot be refreshed is an error beside those of DAG files, until a refresh succeeds; its warning is one too."""

from __future__ import annotations

from collections.abc import Mapping

from gnomon.ground import log
from gnomon.model.spec import FileInputs, ParsedFile, ParseFailure
from gnomon.services.dagfiles.file_registry import FileRegistry, RegistryUnavailable

KIND = "bundle"
"""The kind of these errors."""
_log = log.get_logger("dagfiles.bundles")


class BundleErrors:
    """Records the errors of the bundles of this process. The path of such an error is the folder of the bundle."""

    def __init__(self, registry: FileRegistry, folders: Mapping[str, str]) -> None:
        """`folders`: the folder of each bundle that is refreshed, by its name."""
        self._registry = registry
        self._folders = dict(folders)
        self._recorded: dict[str, tuple[str | None, str | None]] = {}
        """The last recorded error and warning of each bundle; None: the refresh succeeded, there is no warning."""

    def forget(self) -> None:
        """Remove the errors of an earlier process, before recorded files are read: a folder is no DAG file. Raises RegistryUnavailable."""
        old = sorted(set(self._folders.values()) & set(self._registry.list_files()))
        if old:
            self._registry.remove_files(old)

    def record(self, name: str, error: str | None, warning: str | None = None) -> None:
        """The refresh of a bundle has ended. What cannot be stored now is stored after the next refresh."""
        if self._recorded.get(name) == (error, warning):
            return
        path = self._folders[name]
        try:
            if error is not None or warning is not None:
                failures = () if error is None else (ParseFailure(kind=KIND, message=error),)
                warnings = () if warning is None else (warning,)
                self._registry.record_outcomes(
                    [
                        ParsedFile(
                            path=path,
                            inputs=FileInputs(input_hash=""),
                            failures=failures,
                            warnings=warnings,
                            bundle_name=name,
                        )
                    ]
                )
            elif self._recorded.get(name, (None, None)) != (None, None):
                self._registry.remove_files([path])
        except RegistryUnavailable as unavailable:
            _log.warning("bundle_error_not_stored", bundle=name, error=str(unavailable))
            return
        self._recorded[name] = (error, warning)
