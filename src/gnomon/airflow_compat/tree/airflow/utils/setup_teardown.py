"""`airflow.utils.setup_teardown`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.setup_teardown import Scope as SetupTeardownContext

__all__ = ["SetupTeardownContext"]
__getattr__ = missing(__name__)
