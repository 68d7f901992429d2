"""Run by an interpreter that has Gnomon and the libraries: stores and reads tables, frames and a pod, and prints what came of it as JSON."""

import datetime as dt
import json
import os
import sys

import pandas as pd
import polars as pl
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake
from kubernetes.client import models
from polars.testing import assert_frame_equal
from pyiceberg.catalog import load_catalog

from gnomon.authoring.sdk.serialization.value_codec import dumps, loads
from gnomon.model.errors.authoring import NotSerializable


def refusal(value, start, end):
    try:
        dumps(value)
    except NotSerializable as error:
        text = str(error)
        return text[text.index(start) : text.index(end)]
    return "stored"


def read_iceberg(folder):
    places = {"uri": f"sqlite:///{folder}/catalog.db", "warehouse": f"file://{folder}/warehouse"}
    catalog = load_catalog("mine", type="sql", **places)
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", schema=pa.schema([("a", pa.int64())]))
    table.append(pa.table({"a": [1, 2]}))
    rows = loads(dumps(table)).scan().to_arrow().to_pylist()
    secret = load_catalog("mine", type="sql", token="x", **places).load_table("sales.orders")
    refused = refusal(secret, "'token'", " may be")
    os.environ |= {"PYICEBERG_CATALOG__MINE__TOKEN": "x"}
    return rows, refused, '"token"' not in dumps(secret)


def read_frames():
    frame = pd.DataFrame(
        {"a": [1, None], "t": pd.to_datetime(["2024-01-01", None]), "c": pd.Categorical(["x", "y"]), 3: [b"x", b""]}
    ).rename(columns={3: "b"})
    pd.testing.assert_frame_equal(loads(dumps([frame]))[0], frame)
    other = pl.DataFrame(
        {"c": pl.Series(["a"], dtype=pl.Categorical), "d": [dt.datetime(2024, 1, 1)], "l": [[1, 2]], "s": [{"a": 1}]}
    )
    assert_frame_equal(loads(dumps({"f": other}))["f"], other)
    return True


def main(folder):
    rows, refused, is_configured = read_iceberg(folder)
    write_deltalake(f"{folder}/delta", pa.table({"a": [1, 2]}))
    secret = DeltaTable(f"{folder}/delta", storage_options={"AWS_SECRET_ACCESS_KEY": "x"})
    pod = models.V1Pod(
        metadata=models.V1ObjectMeta(name="x"),
        spec=models.V1PodSpec(containers=[models.V1Container(name="c", env=[models.V1EnvVar(name="A", value="b")])]),
    )
    frames = read_frames()
    print(
        json.dumps(
            {
                "iceberg": rows,
                "iceberg secret": refused,
                "configured catalog": is_configured,
                "delta": loads(dumps(DeltaTable(f"{folder}/delta"))).to_pyarrow_table().to_pylist(),
                "delta secret": refusal(secret, "'AWS", " may be"),
                "pandas": frames,
                "polars": frames,
                "pod": loads(dumps(pod)) == pod,
                "pandas refusal": refusal({"rows": [pd.DataFrame({"a": [object()]})]}, "['rows']", " (("),
            }
        )
    )


main(sys.argv[1])
