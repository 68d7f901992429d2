"""`airflow.utils.log.json_formatter`."""

import json as _json
import logging as _logging

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["JSONFormatter"]


class JSONFormatter(_logging.Formatter):
    """Writes a record as a JSON object: the attributes `json_fields` of the record, and `extras` over them.

    The text of an exception and of a stack come behind the message, each on a line of its own.
    """

    def __init__(self, fmt=None, datefmt=None, style="%", json_fields=None, extras=None):
        super().__init__(fmt, datefmt, style)
        self.json_fields = json_fields or []
        self.extras = extras or {}

    def usesTime(self):
        return "asctime" in self.json_fields

    def format(self, record):
        super().format(record)
        fields = {name: getattr(record, name, None) for name in self.json_fields}
        if "message" in fields:
            stack = self.formatStack(record.stack_info) if record.stack_info else ""
            parts = [str(fields["message"]), record.exc_text or "", stack]
            fields["message"] = "\n".join(part.rstrip("\n") for part in parts if part)
        return _json.dumps({**fields, **self.extras})


__getattr__ = make_getattr(__name__)
