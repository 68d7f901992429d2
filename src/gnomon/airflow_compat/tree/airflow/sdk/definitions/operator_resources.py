"""`airflow.sdk.definitions.operator_resources`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.resources import (
    CpuResource,
    DiskResource,
    EB,
    GB,
    GpuResource,
    MB,
    PB,
    RamResource,
    Resource,
    Resources,
    TB,
)

__all__ = [
    "CpuResource",
    "DiskResource",
    "EB",
    "GB",
    "GpuResource",
    "MB",
    "PB",
    "RamResource",
    "Resource",
    "Resources",
    "TB",
]
__getattr__ = make_getattr(__name__)
