"""`airflow.configuration`: `conf`, and the module functions of Airflow 1."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.context.airflow_configuration import AirflowConfigParser, conf
from gnomon.errors.authoring import AirflowConfigException

__all__ = [
    "AirflowConfigException", "AirflowConfigParser", "as_dict", "conf", "get", "getboolean", "getfloat", "getint",
    "getsection", "has_option", "remove_option", "set",
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
__getattr__ = make_getattr(__name__)
