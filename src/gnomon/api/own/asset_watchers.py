"""The watchers of an asset, and whether their triggers run."""

from __future__ import annotations

from datetime import datetime

from gnomon.api.access.hidden_names import build_name_filter
from gnomon.api.access.permissions import CurrentUser, requires
from gnomon.api.access.visible_assets import find_visible_asset
from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.common.shapes import Answer
from gnomon.api.context import Context
from gnomon.api.policies import ApiResource, Permission
from gnomon.queries.report.listings.watcher_list import list_watcher_rows

router = OperationRouter(prefix="/assets", tags=["Asset"])


class WatcherAnswer(Answer):
    """A watcher that a DAG declares."""

    name: str
    trigger: str
    """The class of its trigger."""
    dag_id: str
    state: str
    """Whether the trigger runs, and why not, in words."""
    events: int
    """Events of its trigger."""
    last_event: datetime | None


class WatchersAnswer(Answer):
    """The watchers of an asset, by name."""

    watchers: list[WatcherAnswer]


@router.get("/{asset_id}/watchers", dependencies=[requires(Permission.READ, ApiResource.ASSET)])
def get_watchers(asset_id: int, context: Context, user: CurrentUser) -> WatchersAnswer:
    """The watchers of an asset that DAGs declare which the user may see."""
    with context.database.read() as tx:
        asset = find_visible_asset(context, tx, user, asset_id)
        visible = VisibleDags(context, tx, user)
        hide = build_name_filter(visible)
        rows = visible.select((row.dag_id, row) for row in list_watcher_rows(tx, asset.key))
    return WatchersAnswer.model_validate(
        {
            "watchers": [
                {
                    "name": row.name,
                    "trigger": row.trigger,
                    "dag_id": row.dag_id,
                    "state": hide(row.state),
                    "events": row.events,
                    "last_event": row.last_event,
                }
                for row in rows
            ]
        }
    )
