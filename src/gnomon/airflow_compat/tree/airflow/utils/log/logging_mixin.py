"""`airflow.utils.log.logging_mixin`."""

import logging as _logging
import re as _re

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["LoggingMixin", "remove_escape_codes"]
_ESCAPE_CODE = _re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def remove_escape_codes(text):
    """Return the text without the codes that colour and move text on terminals (ECMA-48, control sequences)."""
    return _ESCAPE_CODE.sub("", text)


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
