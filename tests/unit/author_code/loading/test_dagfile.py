"""A DAG file imported in this process."""

from __future__ import annotations

import sys
import textwrap
import zipfile

import pytest

from gnomon.author_code.loading import bytecode
from gnomon.author_code.loading.archives import locate_source
from gnomon.author_code.loading.dagfile import load_dag_file, module_name
from gnomon.ground.config import load_config, set_current_config


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The DAG folder of a home of this test."""
    (tmp_path / "dags").mkdir()
    (tmp_path / "plugins").mkdir()
    set_current_config(load_config({}, tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "path_hooks", list(sys.path_hooks))
    monkeypatch.setattr(bytecode, "_hooked_folders", set())
    modules = set(sys.modules)
    yield tmp_path / "dags"
    set_current_config(None)
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def write(folder, name: str, text: str) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text))
    return str(path)


def test_dags_are_found_in_globals_in_with_blocks_and_from_decorated_calls(folder):
    path = write(
        folder,
        "all.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        from gnomon.authoring.sdk.dags.dag_decorators import dag

        def inside():
            with DAG("in_with"):
                pass

        @dag
        def decorated():
            pass

        in_globals = DAG("in_globals")
        inside()
        decorated()
        with DAG("not_registered", auto_register=False):
            pass
    """,
    )

    loaded = load_dag_file(path)

    assert list(loaded.dags) == ["in_with", "decorated", "in_globals"]
    assert loaded.repeated == ()


def test_a_dag_with_auto_register_off_counts_when_a_global_holds_it(folder):
    path = write(
        folder,
        "held.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        with DAG("held", auto_register=False) as held:
            pass
    """,
    )

    assert list(load_dag_file(path).dags) == ["held"]


def test_the_first_of_two_dags_with_one_id_is_taken_and_the_id_is_told(folder):
    path = write(
        folder,
        "two.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        first = DAG("same", description="first")
        second = DAG("same", description="second")
        alias = first
    """,
    )

    loaded = load_dag_file(path)

    assert loaded.dags["same"].description == "first"
    assert loaded.repeated == ("same",)


def test_files_of_one_name_in_two_folders_are_two_modules(folder):
    one = write(folder, "a/etl.py", "WHO = 'a'\n")
    two = write(folder, "b/etl.py", "WHO = 'b'\n")

    modules = [load_dag_file(one).module, load_dag_file(two).module]

    assert [module.WHO for module in modules] == ["a", "b"]
    assert [sys.modules[module.__name__] for module in modules] == modules
    assert module_name(one) == modules[0].__name__ != modules[1].__name__


def test_helpers_of_the_dag_folder_and_the_plugins_folder_can_be_imported(folder):
    write(folder, "loading_helper_one.py", "X = 1\n")
    write(folder.parent / "plugins", "loading_plugin_one.py", "Y = 2\n")
    path = write(folder, "team/uses.py", "from loading_helper_one import X\nfrom loading_plugin_one import Y\n")

    module = load_dag_file(path).module

    assert (module.X, module.Y) == (1, 2)


def test_a_file_outside_of_the_dag_folder_finds_what_is_beside_it(folder, tmp_path):
    write(tmp_path / "elsewhere", "loading_beside.py", "X = 1\n")

    assert load_dag_file(write(tmp_path / "elsewhere", "uses.py", "from loading_beside import X\n")).module.X == 1


def test_airflows_import_paths_work(folder):
    path = write(
        folder,
        "dialect.py",
        """
        from airflow import DAG
        from airflow.operators.empty import EmptyOperator
        with DAG("written_for_airflow"):
            EmptyOperator(task_id="only")
    """,
    )

    assert list(load_dag_file(path).dags["written_for_airflow"].task_dict) == ["only"]


def test_a_member_of_an_archive_imports_the_modules_of_the_archive(folder):
    archive = folder / "pack.zip"
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr(
            "etl.py",
            "from loading_zipped.ids import ID\nfrom gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG(ID)\n",
        )
        opened.writestr("loading_zipped/__init__.py", "")
        opened.writestr("loading_zipped/ids.py", "ID = 'zipped'\n")

    loaded = load_dag_file(f"{archive}/etl.py")

    assert list(loaded.dags) == ["zipped"]
    assert loaded.module.__file__ == f"{archive}/etl.py"
    assert locate_source(f"{archive}/etl.py") == (str(archive), "etl.py")
    assert locate_source(str(archive)) == (str(archive), None)


def test_what_a_file_raises_propagates_and_leaves_no_module_and_no_open_dag(folder):
    path = write(
        folder,
        "breaks.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        with DAG("never"):
            raise RuntimeError("stop")
    """,
    )

    with pytest.raises(RuntimeError, match="stop"):
        load_dag_file(path)

    assert module_name(path) not in sys.modules
    assert list(
        load_dag_file(
            write(folder, "next.py", "from gnomon.authoring.sdk.dags.dag import DAG\ndag = DAG('next')\n")
        ).dags
    ) == ["next"]


def test_only_dag_is_what_the_parsing_context_says_meanwhile(folder):
    path = write(
        folder,
        "many.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        from gnomon.authoring.sdk.nodes.authoring_state import get_parsing_context
        wanted = get_parsing_context().dag_id
        for number in range(100):
            if wanted in (None, f"many_{number}"):
                globals()[f"dag_{number}"] = DAG(f"many_{number}")
    """,
    )

    assert list(load_dag_file(path, only_dag="many_7").dags) == ["many_7"]
    assert len(load_dag_file(path).dags) == 100


def test_warnings_are_told_once_with_their_place(folder):
    path = write(
        folder,
        "warns.py",
        """\
        import warnings
        for _ in range(3):
            warnings.warn("old spelling", DeprecationWarning)
    """,
    )

    assert load_dag_file(path).warnings == (f"{path}:3: DeprecationWarning: old spelling",)


def test_the_encoding_a_file_declares_is_honoured(folder):
    path = folder / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\nNAME = 'Zürich'\n".encode("latin-1"))

    assert load_dag_file(path).module.NAME == "Zürich"
