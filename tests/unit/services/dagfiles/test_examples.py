"""The examples are good DAG files."""

from __future__ import annotations

import os

from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.settings import SourceFolder, examples_folder


def test_every_example_is_found_and_defines_one_dag_that_is_not_paused(home, parser):
    listing = FileDiscovery(regexp_ignore=False, safe_mode=True).list_folder(SourceFolder(examples_folder()))

    dags = []
    for path in sorted(listing.files):
        parsed = parser.parse(path)
        assert (parsed.failures, parsed.warnings, parsed.inputs.fresh) == ((), (), None), path
        dags += [dag.spec for dag in parsed.dags]

    assert [f"{dag.dag_id}.py" for dag in dags] == [os.path.basename(path) for path in sorted(listing.files)]
    assert "example_hello" in {dag.dag_id for dag in dags}
    assert all(dag.paused_upon_creation is False for dag in dags)


def test_examples_are_looked_for_only_when_the_option_says_so(home, parser_with):
    without = parser_with(home.config())
    with_them = parser_with(home.config(core__load_examples=True))

    assert [root.folder for root in without.settings.roots] == [str(home.dags)]
    assert [root.folder for root in with_them.settings.roots] == [str(home.dags), examples_folder()]
