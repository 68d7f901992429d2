"""`airflow.utils.setup_teardown`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.nodes.setup_teardown import Scope as SetupTeardownContext

__all__ = ["SetupTeardownContext"]
__getattr__ = make_getattr(__name__)
