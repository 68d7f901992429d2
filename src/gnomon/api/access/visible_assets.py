"""Which assets and aliases a user may see, or change: those that a DAG names on which the user has the role."""

from __future__ import annotations

from gnomon.api.access.visible_dags import VisibleDags
from gnomon.api.common.refusals import Refusal
from gnomon.api.context import ApiContext
from gnomon.api.policies import AccessRefused, User
from gnomon.model.accounts import Role
from gnomon.model.sentences import say
from gnomon.queries.report.listings.visible_assets import VisibleAssets
from gnomon.rules.assets.conditions import match_leaves
from gnomon.storage.store import Transaction
from gnomon.storage.store.asset_records import asset_declarations
from gnomon.storage.store.asset_records.asset_declarations import StoredAsset


def read_visible_assets(context: ApiContext, tx: Transaction, user: User, role: Role = Role.VIEWER) -> VisibleAssets:
    """The assets and aliases that a DAG names on which the user has at least a role; all for a user with the role everywhere."""
    return VisibleAssets(tx, VisibleDags(context, tx, user, role).dag_ids)


def find_visible_asset(
    context: ApiContext, tx: Transaction, user: User, asset_pk: int, role: Role = Role.VIEWER
) -> StoredAsset:
    """The asset. Raises Refusal (404), also for an asset that is hidden from the user, and AccessRefused (403) for a lower role."""
    asset = asset_declarations.find_asset(tx, asset_pk)
    if asset is None or not _shows_asset(context, tx, user, asset, Role.VIEWER):
        raise Refusal(404, say("asset_id_does_not_exist", number=str(asset_pk)))
    if not _shows_asset(context, tx, user, asset, role):
        raise _refuse(asset, role)
    return asset


def require_event_role(context: ApiContext, tx: Transaction, user: User, asset: StoredAsset) -> None:
    """Return if the user may add events of the asset: with the role user on a DAG that writes it, or on all DAGs that it schedules.

    Raises AccessRefused (403): an event makes runs, also of DAGs that are hidden from the user.
    """
    if user.identity.everywhere >= Role.USER:
        return
    leaves = match_leaves(asset.key, ())
    dags, declared = VisibleDags(context, tx, user, Role.USER), asset_declarations.list_declarations(tx, leaves)
    writers = [declaration for declaration in declared if declaration.role == asset_declarations.OUTLET]
    consumers = [declaration for declaration in declared if declaration.role == asset_declarations.SCHEDULE]
    if not any(declaration.dag_id in dags for declaration in writers) and not (
        consumers and all(declaration.dag_id in dags for declaration in consumers)
    ):
        raise _refuse(asset, Role.USER)


def _shows_asset(context: ApiContext, tx: Transaction, user: User, asset: StoredAsset, role: Role) -> bool:
    return user.identity.everywhere >= role or read_visible_assets(context, tx, user, role).shows_asset(asset.key)


def _refuse(asset: StoredAsset, role: Role) -> AccessRefused:
    return AccessRefused(403, say("role_on_dags_of_asset_is_needed", role=str(role), asset=asset.key.name))
