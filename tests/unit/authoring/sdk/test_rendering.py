"""Rendering of template fields: texts, containers, files, native objects, errors."""

from __future__ import annotations

import datetime as dt
import functools
from pathlib import Path
from typing import Any

import jinja2
import pytest

from gnomon.authoring.sdk.arguments.resolvable import literal
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.runtime.notifier import BaseNotifier
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import AirflowException

DAY = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)


class Show(BaseOperator):
    template_fields = ("value",)
    template_ext = (".sql",)

    def __init__(self, value: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.value = value


def rendered(value: Any, context: dict[str, Any] | None = None, **dag_arguments: Any) -> Any:
    with DAG("d", **dag_arguments):
        task = Show(task_id="t", value=value)
    task.render_template_fields({"ds": "2026-01-31", "day": DAY, **(context or {})})
    return task.value


class Point:
    template_fields = ("x",)

    def __init__(self, x: Any) -> None:
        self.x = x


def test_templates_are_rendered_in_texts_and_containers() -> None:
    assert rendered("on {{ ds }}") == "on 2026-01-31"
    assert rendered([("{{ ds }}", 1), {"k": {"{{ ds }}"}}, None]) == [("2026-01-31", 1), {"k": {"2026-01-31"}}, None]


def test_values_without_a_truth_are_left_alone() -> None:
    class Frame:
        def __bool__(self) -> bool:
            raise ValueError("ambiguous")

    frame = Frame()
    assert rendered(frame) is frame
    assert rendered("") == ""


def test_a_function_in_a_field_is_called_with_context_and_environment() -> None:
    def value(context: Any, jinja_env: jinja2.Environment) -> str:
        return f"{context['ds']} {jinja_env.from_string('{{ 1 + 1 }}').render()} {{{{ not rendered }}}}"

    assert rendered(value) == "2026-01-31 2 {{ not rendered }}"
    assert rendered(functools.partial(value)) == rendered(value)
    assert rendered(Point(value)).x == rendered(value)
    assert rendered([value, {"k": value}]) == [
        value,
        {"k": value},
    ]  # as in Airflow: of a field only, not inside of lists


def test_a_function_in_a_field_is_called_once_and_its_error_names_the_field() -> None:
    calls = []

    def value(*, context: Any, jinja_env: Any) -> Any:
        calls.append(context)
        raise RuntimeError("no value")

    with pytest.raises(RuntimeError, match="no value") as found:
        rendered(value)
    assert len(calls) == 1
    assert "template field 'value' of task 't'" in found.value.__notes__[0]


def test_a_function_without_truth_is_not_called() -> None:
    class Never:
        def __call__(self, context: Any, jinja_env: Any) -> Any:
            raise AssertionError("called")

        def __bool__(self) -> bool:
            return False

    never = Never()
    assert rendered(never) is never


def test_objects_with_template_fields_are_rendered_inside() -> None:
    point = rendered([Point(["{{ ds }}"])])[0]
    assert point.x == ["2026-01-31"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ day | ds }}", "2026-01-31"),
        ("{{ day | ds_nodash }}", "20260131"),
        ("{{ day | ts }}", "2026-01-31T12:00:00+00:00"),
        ("{{ day | ts_nodash }}", "20260131T120000"),
        ("{{ day | ts_nodash_with_tz }}", "20260131T120000+0000"),
    ],
)
def test_filters_write_moments(text: str, expected: str) -> None:
    assert rendered(text) == expected


def test_text_without_marks_renders_like_any_other() -> None:
    environment = jinja2.Environment(autoescape=False)
    for text in ("plain", "with {brace}", "line\n", "a\r\nb", ""):
        assert rendered(text) == environment.from_string(text).render()


def test_an_unknown_name_fails_with_field_and_task() -> None:
    with pytest.raises(jinja2.UndefinedError, match="'nothing' is undefined") as found:
        rendered("{{ nothing }}")
    assert any("field 'value' of task 't'" in note for note in found.value.__notes__)


def test_an_unknown_name_is_empty_when_the_dag_says_so() -> None:
    assert rendered("[{{ nothing }}]", template_undefined=jinja2.Undefined) == "[]"


def test_native_objects_come_out_as_python() -> None:
    assert rendered("{{ [1, 2] }}", render_template_as_native_obj=True) == [1, 2]
    assert rendered("{{ [1, 2] }}") == "[1, 2]"


@pytest.mark.parametrize("value", ["", [], {}, (), 0, False, None], ids=repr)
def test_an_empty_value_of_a_field_stays_as_it_is_under_native_rendering(value: Any) -> None:
    """Also in a mapped task, and in a field of an object in a field. As in Airflow, an empty text inside a list is a template that renders to None."""
    assert repr(rendered(value, render_template_as_native_obj=True)) == repr(value)
    assert repr(rendered(Point(value), render_template_as_native_obj=True).x) == repr(value)
    assert rendered(["", {"a": ""}], render_template_as_native_obj=True) == [None, {"a": None}]


def test_a_literal_is_left_alone() -> None:
    assert rendered({"a": literal("{{ ds }}"), "b": "{{ ds }}"}) == {"a": "{{ ds }}", "b": "2026-01-31"}


def test_macros_and_filters_of_the_dag_are_known() -> None:
    assert (
        rendered(
            "{{ twice(ds) | loud }}",
            user_defined_macros={"twice": lambda text: text * 2},
            user_defined_filters={"loud": lambda text: text + "!"},
        )
        == "2026-01-312026-01-31!"
    )


def test_other_marks_can_be_chosen() -> None:
    options = {"variable_start_string": "<<", "variable_end_string": ">>"}
    assert rendered("<< ds >> {{ ds }}", jinja_environment_kwargs=options) == "2026-01-31 {{ ds }}"


def test_files_are_read_from_the_search_path_and_rendered(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "q.sql").write_text("select '{{ ds }}' {% include 'sub/rest.sql' %}")
    (tmp_path / "sub" / "rest.sql").write_text("-- {{ ds }}")
    assert rendered("sub/q.sql", template_searchpath=str(tmp_path)) == "select '2026-01-31' -- 2026-01-31"
    assert rendered(["sub/q.sql"], template_searchpath=[tmp_path]) == ["select '2026-01-31' -- 2026-01-31"]


def test_files_beside_the_dag_file_are_found(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("{{ ds }}")
    with DAG("d") as dag:
        task = Show(task_id="t", value="q.sql")
    dag.fileloc = str(tmp_path / "my_dag.py")
    task.render_template_fields({"ds": "x"})
    assert task.value == "x"


def test_a_missing_file_names_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(AirflowException, match=r"'no.sql' was not found; looked in") as found:
        rendered("no.sql", template_searchpath=str(tmp_path))
    assert str(tmp_path) in str(found.value)


def test_files_can_be_read_before_rendering(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("{{ ds }}")
    with DAG("d", template_searchpath=str(tmp_path)) as dag:
        task = Show(task_id="t", value=["q.sql", "gone.sql", 5])
    dag.resolve_template_files()
    assert task.value == ["{{ ds }}", "gone.sql", 5]


def test_only_what_a_template_names_is_worked_out() -> None:
    class Lazy(dict[str, Any]):
        asked: list[str] = []

        def __getitem__(self, key: str) -> Any:
            self.asked.append(key)
            return super().__getitem__(key)

    context = Lazy(ds="d", dear="never", dag=None)
    with DAG("d"):
        task = Show(task_id="t", value="{{ ds }}")
    task.render_template_fields(context)
    assert task.value == "d"
    assert "dear" not in context.asked


def test_one_template_is_rendered_on_request() -> None:
    with DAG("d"):
        task = Show(task_id="t")
    assert task.render_template("{{ ds }}-{{ n }}", {"ds": "d", "n": 1}) == "d-1"


def test_a_field_without_attribute_says_what_to_do() -> None:
    class Forgot(BaseOperator):
        template_fields = ("value",)

    with DAG("d"):
        task = Forgot(task_id="t")
    with pytest.raises(AttributeError, match=r"Assign self.value in __init__"):
        task.render_template_fields({})


def test_a_text_as_template_fields_names_one_field_and_is_warned_of() -> None:
    class One(BaseOperator):
        template_fields = "value"

        def __init__(self, value: Any, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.value = value

    with DAG("d") as dag:
        first = Show(task_id="first")
        task = One(task_id="t", value=first.output)
        task.value = ["{{ ds }}", task.value]
        One(task_id="u", value="")
    assert task.template_fields == ["value"]
    assert task.upstream_task_ids == {"first"}
    assert len(dag.warnings) == 2
    assert "Task 't'" in dag.warnings[0]
    assert "template_fields of One is the text 'value' and is read as ['value']" in dag.warnings[0]
    assert "Write template_fields = ('value',), with a comma." in dag.warnings[0]
    task.value = "{{ ds }}"
    task.render_template_fields({"ds": "2026-01-31"})
    assert task.value == "2026-01-31"


def test_a_text_as_template_ext_is_refused() -> None:
    with pytest.raises(TypeError, match=r"write \('.sql',\) with a comma"):

        class One(BaseOperator):
            template_ext = ".sql"


def test_a_notifier_renders_its_fields_logs_its_error_and_raises_it(caplog: pytest.LogCaptureFixture) -> None:
    class Tell(BaseNotifier):
        template_fields = ("message",)

        def __init__(self, message: str) -> None:
            super().__init__()
            self.message = message

        def notify(self, context: Any) -> None:
            raise ValueError(self.message)

    with pytest.raises(ValueError, match="late on 2026-01-31"):
        Tell("late on {{ ds }}")({"ds": "2026-01-31"})
    assert "notifier Tell failed: late on 2026-01-31" in caplog.text
