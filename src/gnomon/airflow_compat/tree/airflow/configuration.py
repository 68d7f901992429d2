"""`airflow.configuration`: `conf`, the module functions of Airflow 1, and where the home is."""

from gnomon.airflow_compat.missing_names import make_getattr as _missing
from gnomon.ground.config import current_config as _ambient
from gnomon.author_code.context.airflow_configuration import AirflowConfigParser, conf
from gnomon.model.errors.authoring import AirflowConfigException

__all__ = [
    "AIRFLOW_CONFIG",
    "AIRFLOW_HOME",
    "AirflowConfigException",
    "AirflowConfigParser",
    "as_dict",
    "conf",
    "get",
    "get_airflow_config",
    "get_airflow_home",
    "getboolean",
    "getfloat",
    "getint",
    "getsection",
    "has_option",
    "remove_option",
    "set",
]

get = conf.get
getboolean = conf.getboolean
getfloat = conf.getfloat
getint = conf.getint
getsection = conf.getsection
has_option = conf.has_option
as_dict = conf.as_dict
remove_option = conf.remove_option
set = conf.set
_stand_in = _missing(__name__)


def get_airflow_home():
    """Return the path of the home."""
    return str(_ambient().home)


def get_airflow_config(airflow_home):
    """Return the path of the file of options in a home."""
    return f"{airflow_home}/gnomon.toml"


_VALUES = {"AIRFLOW_HOME": get_airflow_home, "AIRFLOW_CONFIG": lambda: get_airflow_config(get_airflow_home())}


def __getattr__(name):
    return _VALUES[name]() if name in _VALUES else _stand_in(name)
