"""Plugin files are imported by the dag-processor too: one that fails is an error like that of a DAG file."""

from __future__ import annotations

from gnomon.services.dagfiles.discovery import FileDiscovery
from gnomon.services.dagfiles.settings import build_dag_processor_settings

GOOD = "from airflow.plugins_manager import AirflowPlugin\n\n\nclass Mine(AirflowPlugin):\n    name = 'mine'\n"


def test_a_plugin_that_fails_is_told_with_its_line(home, parser):
    bad = home.plugins / "bad.py"
    bad.write_text("from airflow.plugins_manager import AirflowPlugin\n\nx = 1 / 0\n")
    (failure,) = parser.parse(str(bad)).failures
    assert failure.line == 3 and "ZeroDivisionError" in failure.message and str(bad) in failure.message


def test_a_plugin_without_a_name_is_told(home, parser):
    bad = home.plugins / "bad.py"
    bad.write_text(GOOD.replace("    name = 'mine'", "    pass"))
    (failure,) = parser.parse(str(bad)).failures
    assert failure.message == f'{bad}: plugin Mine has no name; give it `name = "..."`.'


def test_a_good_one_brings_no_dags(home, parser):
    good = home.plugins / "team" / "good.py"
    good.parent.mkdir()
    good.write_text(GOOD + "\nfrom airflow import DAG\nDAG('hidden')\n")
    parsed = parser.parse(str(good))
    assert parsed.dags == () and parsed.failures == () and str(good) in dict(parsed.inputs.paths)


def test_only_files_that_mention_the_class_are_looked_at_and_only_apart_from_dag_files(home, parser):
    (home.plugins / "mine.py").write_text(GOOD)
    (home.plugins / "helper.py").write_text("raise RuntimeError('a DAG file of airflow may import it')\n")
    *_, root = parser.settings.listed_folders
    listing = FileDiscovery(regexp_ignore=False, safe_mode=True).list_folder(root)
    assert root.is_plugins and list(listing.files) == [str(home.plugins / "mine.py")]
    inside = build_dag_processor_settings(home.config(core__plugins_folder=home.dags / "plugins"))
    assert inside.listed_folders == inside.roots
