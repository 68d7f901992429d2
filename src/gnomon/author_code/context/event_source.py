"""The task instance that wrote an asset, as an event names it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from gnomon.authoring.sdk.connections import channel as sdk_channel
from gnomon.authoring.sdk.runtime.xcom import decode_xcom
from gnomon.model.task_api_requests import GetXComs


@dataclass(frozen=True)
class AssetEventSource:
    """The ids of a task instance, and access to its XComs."""

    dag_id: str
    task_id: str
    run_id: str
    map_index: int = -1

    def xcom_pull(self, *, key: str = "return_value", default: Any = None) -> Any:
        """Return the value that the task instance pushed, or `default`."""
        rows = cast(
            "list[dict[str, Any]]",
            sdk_channel.ask(
                GetXComs(
                    dag_id=self.dag_id,
                    run_id=self.run_id,
                    key=key,
                    task_ids=(self.task_id,),
                    map_indexes=(self.map_index,),
                )
            ),
        )
        if not rows:
            return default
        names = {"key": key, "task_id": self.task_id, "dag_id": self.dag_id, "run_id": self.run_id}
        return decode_xcom(rows[0]["value"], **names, map_index=self.map_index)
