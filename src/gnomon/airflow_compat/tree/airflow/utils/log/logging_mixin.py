"""`airflow.utils.log.logging_mixin`."""

import logging as _logging

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["LoggingMixin"]


class LoggingMixin:
    """Gives its class a logger, `self.log`."""

    _log = None

    def __init__(self, context=None):
        pass

    @property
    def log(self):
        """The logger of the class."""
        if self._log is None:
            self._log = _logging.getLogger(f"{type(self).__module__}.{type(self).__name__}")
        return self._log

    @property
    def logger(self):
        """The logger of the class, under its older name."""
        return self.log


__getattr__ = make_getattr(__name__)
