"""`airflow.settings`: where things are. Whoever looks for a database session is told what to use instead."""

from gnomon.airflow_compat.missing_names import make_getattr as _missing
from gnomon.ground.config import current_config as _ambient
from gnomon.authoring.sdk.arguments.timezone import default_zone as _default_zone
from gnomon.authoring.sdk.arguments.timezone import pendulum_zone as _pendulum_zone

_stand_in = _missing(__name__)
_VALUES = {
    "AIRFLOW_HOME": lambda: str(_ambient().home),
    "DAGS_FOLDER": lambda: str(_ambient().dags_folder),
    "PLUGINS_FOLDER": lambda: str(_ambient().plugins_folder),
    "TIMEZONE": lambda: _pendulum_zone(_default_zone()),
}
__all__ = ["AIRFLOW_HOME", "DAGS_FOLDER", "PLUGINS_FOLDER", "TIMEZONE", "pod_mutation_hook"]


def pod_mutation_hook(pod):
    """The pod stays as it is: there are no local settings that would change it."""


def __getattr__(name):
    return _VALUES[name]() if name in _VALUES else _stand_in(name)
