"""The version of the dialect, and the health of the services."""

from __future__ import annotations

from gnomon.api.access.permissions import requires
from gnomon.api.common.operation_router import OperationRouter
from gnomon.api.context import Context
from gnomon.api.health import to_airflow_json
from gnomon.api.policies import ApiResource, Permission
from gnomon.api.v2.schemas.monitor_shapes import HealthInfoResponse, VersionInfo

DIALECT_VERSION = "3.3.2"
"""The version of Airflow whose API this is; clients read it to know what they may call."""
router = OperationRouter()


@router.get("/version", tags=["Version"], dependencies=[requires(Permission.READ, ApiResource.VERSION)])
def get_version() -> VersionInfo:
    """The version of Airflow whose API this is."""
    return VersionInfo(version=DIALECT_VERSION, git_version=None)


@router.get("/monitor/health", tags=["Monitor"], dependencies=[requires(Permission.READ, ApiResource.HEALTH)])
def get_health(context: Context) -> HealthInfoResponse:
    """The health of the database and the services."""
    return HealthInfoResponse.model_validate(to_airflow_json(context.read_health()))
