"""The DAG bundles of the configuration: what is accepted, and what a wrong value is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.ground.config import Config, OptionError, load_config
from gnomon.ground.config.dag_bundles import LOCAL_BUNDLE_CLASS, find_dag_bundle, read_dag_bundles


def config(tmp_path: Path, text: str) -> Config:
    return load_config(
        {"GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST": text, "GNOMON__DAG_PROCESSOR__REFRESH_INTERVAL": "70"},
        tmp_path,
    )


def one(**fields: object) -> str:
    return json.dumps([{"name": "team", "classpath": LOCAL_BUNDLE_CLASS, "kwargs": {}, **fields}])


def test_without_the_option_the_dag_folder_is_the_only_bundle(tmp_path: Path) -> None:
    (bundle,) = read_dag_bundles(config(tmp_path, ""))
    assert (bundle.name, bundle.is_local, bundle.local_folder) == ("dags-folder", True, None)


def test_a_bundle_has_its_own_interval_or_that_of_the_option(tmp_path: Path) -> None:
    (own,) = read_dag_bundles(config(tmp_path, one(kwargs={"refresh_interval": 5})))
    (other,) = read_dag_bundles(config(tmp_path, one()))
    assert (own.refresh_s, other.refresh_s) == (5, 70)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[{", "is not JSON"),
        ("{}", "must be a list of bundles"),
        ("[]", "must be a list of bundles"),
        ("[3]", "entry 1 is not an object"),
        (one(name="a/b"), "has the name 'a/b'"),
        (one(name=".."), "has the name '..'"),
        (one(classpath="Local"), "has the classpath 'Local'"),
        (one(kwargs=[]), "has kwargs that are not an object"),
        (one(colour="red"), "has the unknown key 'colour'"),
        (one(kwargs={"refresh_interval": 0}), "has the refresh_interval 0"),
        (one(kwargs={"version": "1"}), "has kwargs with 'version'"),
        (one(kwargs={"folder": "/x"}), "has the unknown argument 'folder'"),
        (one(kwargs={"path": 3}), "has the path 3"),
        (json.dumps(json.loads(one()) * 2), "has two bundles with the name 'team'"),
    ],
)
def test_a_wrong_value_is_told_with_the_option_its_place_and_the_remedy(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(OptionError) as caught:
        read_dag_bundles(config(tmp_path, text))
    message = str(caught.value)
    assert words in message
    assert message.startswith("[dag_processor] dag_bundle_config_list (")
    assert "GNOMON__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST" in message
    assert ";" in message


def test_a_bundle_that_this_machine_does_not_have_is_told_with_those_that_it_has(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match="has no bundle 'lost' on this machine, only 'team'; set the option on workers"
    ):
        find_dag_bundle(config(tmp_path, one()), "lost")
