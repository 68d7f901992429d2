"""`airflow.utils.json`."""

import datetime as _dt
import decimal as _decimal
import json as _json

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.serialization.value_codec import dumps as _dumps, loads as _loads

__all__ = ["AirflowJsonEncoder", "WebEncoder", "XComDecoder", "XComEncoder"]


class AirflowJsonEncoder(_json.JSONEncoder):
    """Writes moments as ISO 8601, decimals as numbers, sets as lists."""

    def default(self, o):
        if isinstance(o, _dt.datetime | _dt.date | _dt.time):
            return o.isoformat()
        if isinstance(o, _decimal.Decimal):
            return int(o) if o == o.to_integral_value() else float(o)
        if isinstance(o, set | frozenset):
            return sorted(o)
        if isinstance(o, bytes):
            return o.decode("unicode_escape")
        return super().default(o)


class XComEncoder(_json.JSONEncoder):
    """Writes a value as an XCom is written: typed JSON."""

    def encode(self, o):
        return _dumps(o, what="the value")


class XComDecoder(_json.JSONDecoder):
    """Reads typed JSON."""

    def decode(self, s, *_):
        return _loads(s)


WebEncoder = AirflowJsonEncoder
__getattr__ = make_getattr(__name__)
