"""`airflow.providers.standard.utils.openlineage`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.operators.openlineage_parent import (
    PROVIDER_MIN_VERSION as OPENLINEAGE_PROVIDER_MIN_VERSION,
    safe_inject_openlineage_properties_into_dagrun_conf,
)

__all__ = ["OPENLINEAGE_PROVIDER_MIN_VERSION", "safe_inject_openlineage_properties_into_dagrun_conf"]
__getattr__ = make_getattr(__name__)
