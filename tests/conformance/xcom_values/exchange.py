"""Run by an interpreter that has Airflow or Gnomon, and the libraries: `exchange.py airflow|gnomon FOLDER`.

Reads JSON of a mode from standard input: `{"write": true}` prints for each value its stored text and its description;
`{"read": {name: text}}` prints the descriptions of the values that were read.
"""

import datetime as dt
import decimal
import json
import sys
import uuid
from pathlib import Path
from zoneinfo import ZoneInfo

import attr
import numpy as np
import pandas as pd
import pendulum
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from stored_classes import Line, Offer, Order, Versioned


def codec(product):
    if product == "gnomon":
        from gnomon.author_code.loading import dialect

        dialect.enable()
        from gnomon.authoring.sdk.serialization.value_codec import dumps, loads

        return dumps, loads
    from airflow.sdk.serde import deserialize, serialize

    return lambda value: json.dumps(serialize(value)), lambda text: deserialize(json.loads(text))


def make_values(folder):
    from airflow.sdk import Asset, AssetAlias

    table = str(Path(folder, "table"))
    if not Path(table).exists():
        write_deltalake(table, pa.table({"a": [1, 2]}))
    numbers = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
    return {
        **{name: getattr(np, name)(5) for name in numbers.split()},
        "numpy bool": np.bool_(True),
        "pandas frame": pd.DataFrame(
            {"a": [1, 2], "b": ["x", None]}, index=pd.date_range("2024-01-01", periods=2, tz="Europe/Paris")
        ),
        "list of frames": [pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2.5]})],
        "dataclass": Order(1, [1, "two"]),
        "attrs": Line("x", 1.5),
        "pydantic": Offer(number=1, valid_until=dt.datetime(2024, 1, 1, tzinfo=dt.UTC), notes=["a"]),
        "own serialize": Versioned("x"),
        "asset": Asset("orders", uri="s3://bucket/orders", extra={"a": 1}),
        "asset alias": AssetAlias("orders"),
        "asset reference": Asset.ref(name="orders"),
        "delta table": DeltaTable(table),
        "pendulum date": pendulum.date(2024, 1, 1),
        "pendulum zone": pendulum.timezone("Europe/Paris"),
        "pendulum offset": pendulum.timezone(7200),
        "moment": dt.datetime(2024, 1, 1, 12, 30, 15, 250000),
        "moment in utc": dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        "moment in a zone": dt.datetime(2024, 7, 1, tzinfo=ZoneInfo("Europe/Paris")),
        "pendulum moment": pendulum.datetime(2024, 1, 1, tz="Europe/Paris"),
        "date": dt.date(2024, 1, 1),
        "span": dt.timedelta(days=1, seconds=3),
        "zone": ZoneInfo("Europe/Paris"),
        "decimal": decimal.Decimal("1.5"),
        "uuid": uuid.UUID(int=5),
        "tuple": (1, "two", (3,)),
        "set": {1},
        "frozenset": frozenset({1}),
        "nested": {"rows": [{"n": np.int64(1), "at": (Line("y", 0.5),)}]},
        "plain": {"a": [1, 1.5, True, None, "text"]},
    }


def describe(value):
    """A text that is equal for equal values of equal types in both products."""
    if isinstance(value, pd.DataFrame):
        return f"frame {value.to_json(orient='split', date_format='iso')} {value.dtypes.astype(str).to_dict()} {value.index.dtype}"
    if isinstance(value, DeltaTable):
        return f"table {value.table_uri} {value.version()}"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{type(value).__name__}[{', '.join(map(describe, value))}]"
    if isinstance(value, dict):
        return f"dict{ {key: describe(item) for key, item in value.items()} }"
    if isinstance(value, dt.datetime):
        return f"{type(value).__name__} {value.isoformat()}"
    if type(value).__module__.startswith(("airflow", "gnomon")):
        return f"{type(value).__name__} {[(name, getattr(value, name, None)) for name in ('name', 'uri', 'group', 'extra')]}"
    if isinstance(value, Offer):
        return f"{type(value).__name__} {value.model_dump_json()}"
    if attr.has(type(value)):
        return f"{type(value).__name__} {attr.asdict(value)}"
    return f"{type(value).__name__} {value!r}"


def main():
    dumps, loads = codec(sys.argv[1])
    asked = json.loads(sys.stdin.read())
    if "write" in asked:
        answer = {name: [dumps(value), describe(value)] for name, value in make_values(sys.argv[2]).items()}
    else:
        answer = {name: describe(loads(text)) for name, text in asked["read"].items()}
    print(json.dumps(answer))


main()
