"""`airflow.executors.executor_constants`: names of executors, which [core] executor of Gnomon does not all take."""

from enum import Enum, unique

from gnomon.airflow_compat.missing_names import make_getattr

CELERY_EXECUTOR = "CeleryExecutor"
CELERY_KUBERNETES_EXECUTOR = "CeleryKubernetesExecutor"
DEBUG_EXECUTOR = "DebugExecutor"
KUBERNETES_EXECUTOR = "KubernetesExecutor"
LOCAL_EXECUTOR = "LocalExecutor"
LOCAL_KUBERNETES_EXECUTOR = "LocalKubernetesExecutor"
MOCK_EXECUTOR = "MockExecutor"
SEQUENTIAL_EXECUTOR = "SequentialExecutor"
CORE_EXECUTOR_NAMES = {
    CELERY_EXECUTOR,
    CELERY_KUBERNETES_EXECUTOR,
    DEBUG_EXECUTOR,
    KUBERNETES_EXECUTOR,
    LOCAL_EXECUTOR,
    LOCAL_KUBERNETES_EXECUTOR,
    MOCK_EXECUTOR,
    SEQUENTIAL_EXECUTOR,
}


@unique
class ConnectorSource(Enum):
    """Where an executor is imported from."""

    CORE = "core"
    PLUGIN = "plugin"
    CUSTOM_PATH = "custom path"


__all__ = [
    "CELERY_EXECUTOR",
    "CELERY_KUBERNETES_EXECUTOR",
    "CORE_EXECUTOR_NAMES",
    "ConnectorSource",
    "DEBUG_EXECUTOR",
    "KUBERNETES_EXECUTOR",
    "LOCAL_EXECUTOR",
    "LOCAL_KUBERNETES_EXECUTOR",
    "MOCK_EXECUTOR",
    "SEQUENTIAL_EXECUTOR",
]
__getattr__ = make_getattr(__name__)
