"""The folders that the dag-processor lists, among them those of DAG bundles as far as they are known, and which version of a bundle was parsed."""

from __future__ import annotations

import os
from collections.abc import Callable

import msgspec

from gnomon.model.spec import ParsedFile
from gnomon.services.dagfiles.settings import DagProcessorSettings, SourceFolder


class BundleFolders:
    """Knows the folder and the version of each DAG bundle since its last refresh."""

    def __init__(self, settings: DagProcessorSettings, is_refreshing: Callable[[str], bool]) -> None:
        self._settings = settings
        self._is_refreshing = is_refreshing
        self._folders: dict[str, SourceFolder] = {}
        self._versions: dict[str, str | None] = {}
        self._unmoved: set[str] = set()
        """Bundles whose version is not recorded yet."""
        self._begun: dict[str, str | None] = {}
        """Path to the version of its bundle when its parse began."""
        self._held: list[ParsedFile] = []
        """Outcomes that wait for the end of the refresh during which they arrived: it says whether the files were being changed."""

    def roots(self) -> tuple[SourceFolder, ...]:
        """All folders to list."""
        return (*self._settings.listed_folders, *self._folders.values())

    @property
    def are_all_known(self) -> bool:
        """Whether each bundle has a folder; before that, a recorded file may be of a bundle without one."""
        return len(self._folders) == len(self._settings.bundles)

    @property
    def has_held(self) -> bool:
        """Whether outcomes wait for the end of a refresh."""
        return bool(self._held)

    def find_bundle(self, path: str) -> str | None:
        """The name of the bundle that contains the file; None: the DAG folder, the examples or the plugins."""
        containing = [root for root in self.roots() if path.startswith(os.path.join(root.folder, ""))]
        return max(containing, key=lambda root: len(root.folder)).bundle_name if containing else None

    def parse_begins(self, path: str) -> None:
        """Note with which version the parse of the file begins."""
        name = self.find_bundle(path)
        if name in self._versions:
            self._begun[path] = self._versions[name]

    def is_current(self, path: str) -> bool:
        """Whether the bundle of the file has the version with which its parse began."""
        name = self.find_bundle(path)
        return name not in self._versions or self._begun.get(path, self._versions[name]) == self._versions[name]

    def hold(self, parsed: ParsedFile) -> bool:
        """Keep the outcome while its bundle is being refreshed; False when it can be handled now."""
        name = self.find_bundle(parsed.path)
        if name is None or self._versions.get(name) is None or not self._is_refreshing(name):
            return False
        self._held.append(parsed)
        return True

    def may_have_changed(self, name: str, path: str, version: str | None) -> bool:
        """Whether the files of a bundle that was just refreshed may differ from those of its refresh before: not if it has the same version in the same folder."""
        before = self._folders.get(name)
        return version is None or before is None or before.folder != path or self._versions.get(name) != version

    def on_refreshed(self, name: str, path: str | None, version: str | None) -> list[tuple[ParsedFile, bool]]:
        """A refresh has ended; returns the outcomes that waited for it, each with whether its files are still the same."""
        if path is not None:
            if version is not None and self._versions.get(name) != version:
                self._unmoved.add(name)
            self._folders[name] = SourceFolder(path, bundle_name=name)
            self._versions[name] = version
        released = [parsed for parsed in self._held if self.find_bundle(parsed.path) == name]
        self._held = [parsed for parsed in self._held if parsed not in released]
        return [(parsed, self.is_current(parsed.path)) for parsed in released]

    def label(self, parsed: ParsedFile) -> ParsedFile:
        """The outcome with the bundle and the version that it is of."""
        name = self.find_bundle(parsed.path)
        return (
            parsed
            if name is None
            else msgspec.structs.replace(parsed, bundle_name=name, bundle_version=self._versions.get(name))
        )

    def list_unmoved(self) -> list[tuple[str, str, str]]:
        """(name, folder, version) of the bundles whose version is not recorded yet."""
        return [(name, self._folders[name].folder, self._versions[name] or "") for name in sorted(self._unmoved)]

    def moved(self, name: str) -> None:
        """Note that the version of the bundle is recorded."""
        self._unmoved.discard(name)
