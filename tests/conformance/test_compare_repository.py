"""The comparison of folders of DAG files: what it replaces, what it counts; and the example DAGs of published source distributions."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from tests.conformance.compare_repository import compare, print_table
from tests.conformance.package_index import download_source

SOURCES = ("apache-airflow-providers-standard==1.21.0", "apache-airflow-core==3.3.2")
"""What the package index has of example and system DAGs."""
FILES = {
    "dags/fine.py": "import os\nimport nowhere\nfrom airflow import DAG\nfrom airflow.models import Variable\n"
    "from airflow.providers.nobody.operators.thing import ThingOperator\nfrom helpers import f\n"
    "with DAG(f(os.environ['NAME']), schedule=Variable.get('s', default_var=None)):\n"
    "    ThingOperator(task_id='a', thing=nowhere.anything[1]) >> ThingOperator.partial(task_id='b').expand(x=[1])\n",
    "plugins/helpers.py": "def f(name):\n    return name.lower()\n",
    "dags/broken.py": "from airflow import DAG\nfrom airflow.models import NoSuchThing\nDAG('d', schedule=None)\n",
    "dags/built.py": "from airflow import DAG\nfor number in range(2):\n    globals()[f'd{number}'] = DAG(f'built{number}', schedule=None)\n",
    "notes.py": "# airflow dag\n",
}


@pytest.mark.ordinary
def test_files_load_with_mocks_and_placeholders_and_the_others_have_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    result = compare(tmp_path, None, 3)
    assert [Path(file).name for file in result.by_gnomon] == ["built.py", "fine.py"]
    assert [Path(file).name for file in result.lost] == ["broken.py"]
    assert "NoSuchThing does not exist in Gnomon" in next(iter(result.lost.values()))
    print_table([result], details=True)
    said = capsys.readouterr().out
    assert "NameNotProvided" in said and "LOST" in said


@pytest.mark.soak
@pytest.mark.parametrize("source", SOURCES)
def test_example_dags_of_source_distributions_load(source: str, tmp_path: Path) -> None:
    with tarfile.open(download_source(source)) as archive:
        members = [one for one in archive.getmembers() if "example_dags" in one.name or "/tests/system/" in one.name]
        archive.extractall(tmp_path, members=members, filter="data")
    result = compare(tmp_path, None, 3)
    assert len(result.by_gnomon) > 10
    assert result.lost == {}
