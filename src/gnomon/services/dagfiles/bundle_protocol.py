"""Messages between the dag-processor and the process that refreshes a DAG bundle."""

from __future__ import annotations

from gnomon.author_code.processes.task_api_messages import Message, TaskApiRequestMessage


class BundleRefreshed(Message, frozen=True, kw_only=True, tag=True):
    """From the process: how the refresh ended. With an error, path and version are those of before, if there are any."""

    path: str | None = None
    version: str | None = None
    error: str | None = None
    warning: str | None = None
    """What is shown beside the errors of files although the refresh succeeded."""


class RefreshBundle(Message, frozen=True, kw_only=True, tag=True):
    """To the process: refresh the bundle of this name."""

    name: str


FromBundleProcess = TaskApiRequestMessage | BundleRefreshed
