"""`airflow.utils.platform`."""

import getpass as _getpass

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.errors.authoring import AirflowConfigException as _AirflowConfigException

__all__ = ["getuser"]


def getuser():
    """The name of the user whom this process runs as; AirflowConfigException when that user has none."""
    try:
        return _getpass.getuser()
    except (KeyError, OSError) as error:
        raise _AirflowConfigException(
            f"The user that runs this process has no name: {error}. Set the environment variable USER, or add the user to the system."
        ) from error


__getattr__ = make_getattr(__name__)
