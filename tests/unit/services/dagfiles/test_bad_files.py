"""Every way in which a DAG file can be bad: a sentence with the thing, the place and the remedy; the server goes on."""

from __future__ import annotations

import os
import select

import pytest
from tests.patience import PATIENCE_S

from gnomon.services.dagfiles.parse_server import MEMORY_SLACK

CASES = {
    "syntax": ("def f(:\n    pass\n", "syntax", 1, "Correct that line"),
    "missing module": ("import os\nimport no_such_module_here\n", "import", 2, "pip install"),
    "provider": (
        "from airflow.providers.acme.hooks import x\n",
        "import",
        1,
        "Run `gnomon providers install acme` where Gnomon runs",
    ),
    "provider of a family": (
        "import os\nfrom airflow.providers.microsoft.azure.hooks.wasb import (\n    WasbHook,\n)\n",
        "import",
        2,
        "`gnomon providers install microsoft-azure`",
    ),
    "module of Gnomon's provider": (
        "import airflow.providers.standard.nothing\n",
        "import",
        1,
        "airflow.providers.standard.nothing",
    ),
    "raises": ("x = 1\n\nprint(1 / 0)\n", "import", 3, "ZeroDivisionError: division by zero"),
    "wrong keyword": (
        "from gnomon.timetables import BusinessDays\n\nBusinessDays('us', att='06:30')\n",
        "import",
        3,
        "'att'; did you mean at=",
    ),
    "wrong keyword of its own class": (
        "class Mine:\n    def __init__(self, *, hour): ...\n\nMine(at=8)\n",
        "import",
        4,
        "'at'; it takes hour",
    ),
    "sys.exit": ("import sys\nsys.exit(3)\n", "exit", 2, '__name__ == "__main__"'),
    "os._exit": ("import os\nos._exit(4)\n", "exit", None, "exit code 4"),
    "segfault": ("import ctypes\n\nctypes.string_at(0)\n", "crash", 3, "signal 11 (SIGSEGV)"),
    "killed": ("import os\nos.kill(os.getpid(), 9)\n", "memory", None, "out of memory"),
    "endless loop": ("while True:\n    pass\n", "timeout", None, "core.dagbag_import_timeout"),
    "sleeps": ("import time\ntime.sleep(3600)\n", "timeout", 2, "core.dagbag_import_timeout"),
    "loop that catches everything": (
        "import time\nwhile True:\n    try:\n        time.sleep(3600)\n    except BaseException:\n        time.sleep(0)\n",
        "timeout",
        None,
        "dag_processor.dag_file_processor_timeout",
    ),
    "allocates at once": ("x = 1\ny = bytearray(5 * 1024**3)\n", "memory", 2, "dag_processor.parsing_memory_limit"),
    "allocates bit by bit": (
        "x = []\nwhile True:\n    x.append(bytearray(1_000_000))\n",
        "memory",
        None,
        "dag_processor.parsing_memory_limit",
    ),
    "allocates shared memory": (
        "import mmap\nm = mmap.mmap(-1, TOO_MUCH)\nfor i in range(0, TOO_MUCH, 4096):\n    m[i] = 1\nwhile True: pass\n",
        "memory",
        None,
        "dag_processor.parsing_memory_limit",
    ),
}


LIMITS = {"core.dagbag_import_timeout": "hasty", "dag_processor.dag_file_processor_timeout": "stern"}
"""What says so, and the parser that has it low."""


@pytest.mark.parametrize("case", CASES)
def test_a_bad_file_is_a_sentence_with_thing_place_and_remedy(case, home, request):
    source, kind, line, said = CASES[case]
    parser = request.getfixturevalue(LIMITS.get(said, "parser"))
    path = home.write("bad.py", source.replace("TOO_MUCH", str(parser.settings.memory_bytes + 2 * MEMORY_SLACK)))

    parsed = parser.parse(path)

    (failure,) = parsed.failures
    assert failure.kind == kind
    assert failure.message.startswith(path)
    assert said in failure.message
    if line is not None:
        assert failure.line == line
        assert f"line {line}" in failure.message
    assert parsed.dags == ()


def test_a_failure_has_no_secrets_that_the_file_has_read(home, parser):
    source = "from airflow.sdk.log import mask_secret\nmask_secret('own-secret')\nwhere = 'own-' + 'secret'\nraise ValueError(f'no login with {where}')\n"

    (failure,) = parser.parse(home.write("bad.py", source)).failures

    assert "ValueError: no login with ***" in failure.message
    assert "ValueError: no login with ***" in failure.traceback


def test_the_server_parses_good_files_after_every_kind_of_bad_one(home, parser):
    for name in ("syntax", "os._exit", "segfault", "killed", "allocates at once"):
        parser.parse(home.write(f"bad_{len(name)}.py", CASES[name][0]))

    good = parser.parse(home.one_dag("good.py"))

    assert [dag.spec.dag_id for dag in good.dags] == ["good"]
    assert good.failures == ()


def test_what_hides_in_a_loop_that_catches_the_timeout_is_killed(home, stern):
    path = home.write(
        "stubborn.py",
        """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        while True:
            pass
    """,
    )

    (failure,) = stern.parse(path).failures

    assert (failure.kind, "dag_processor.dag_file_processor_timeout" in failure.message) == ("timeout", True)


def test_a_cycle_names_its_tasks_and_leaves_the_other_dags_of_the_file(home, parser):
    path = home.write(
        "cycle.py",
        """
        from gnomon.authoring.operators.empty import EmptyOperator
        from gnomon.authoring.sdk.dags.dag import DAG
        with DAG("round"):
            a = EmptyOperator(task_id="a")
            b = EmptyOperator(task_id="b")
            a >> b >> a
        with DAG("fine"):
            EmptyOperator(task_id="a")
    """,
    )

    parsed = parser.parse(path)

    assert [dag.spec.dag_id for dag in parsed.dags] == ["fine"]
    (failure,) = parsed.failures
    assert failure.kind == "dag"
    assert "'round'" in failure.message and "a >> b >> a" in failure.message


def test_a_duplicate_task_id_is_named_with_its_line(home, parser):
    path = home.write(
        "twice.py",
        """\
        from gnomon.authoring.operators.empty import EmptyOperator
        from gnomon.authoring.sdk.dags.dag import DAG
        with DAG("twice"):
            EmptyOperator(task_id="same")
            EmptyOperator(task_id="same")
    """,
    )

    (failure,) = parser.parse(path).failures

    assert failure.kind == "dag"
    assert "same" in failure.message and failure.line == 5


def test_the_same_dag_id_twice_in_one_file_keeps_the_first(home, parser):
    path = home.write(
        "pair.py",
        """
        from gnomon.authoring.sdk.dags.dag import DAG
        first = DAG("pair", description="first")
        second = DAG("pair", description="second")
    """,
    )

    parsed = parser.parse(path)

    assert [dag.spec.description for dag in parsed.dags] == ["first"]
    assert [(failure.kind, "'pair'" in failure.message) for failure in parsed.failures] == [("duplicate", True)]


def test_a_file_that_is_not_there_any_more_is_unreadable(home, parser):
    (failure,) = parser.parse(str(home.dags / "gone.py")).failures

    assert failure.kind == "unreadable"


def test_what_a_file_starts_ends_with_its_parse(home, parser, tmp_path):
    told = tmp_path / "pid"
    path = home.write(
        "daemon.py",
        f"""
        import pathlib, subprocess
        one = subprocess.Popen(["sleep", "3600"], start_new_session=True)
        pathlib.Path({str(told)!r}).write_text(str(one.pid))
    """,
    )

    parser.parse(path)
    parser.parse(home.one_dag("next.py"))

    assert _is_gone(int(told.read_text()))


def test_a_file_that_forks_at_import_gives_one_outcome(home, parser):
    path = home.write(
        "forks.py",
        """
        import os
        os.fork()
        from gnomon.authoring.sdk.dags.dag import DAG
        DAG("forked")
        dag = DAG("forked")
    """,
    )

    parsed = parser.parse(path)

    assert [dag.spec.dag_id for dag in parsed.dags] == ["forked"]
    assert parser.parse(home.one_dag("next.py")).failures == ()


@pytest.mark.parametrize(
    "ends", ["", "raise RuntimeError('only the fork fails')", "sys.exit(3)", "Variable.get('asked')"]
)
def test_a_fork_at_import_reports_nothing_however_it_ends(home, parser, ends):
    path = home.write(
        "forks.py",
        f"""
        import os, sys
        from airflow.sdk import DAG, Variable
        dag = DAG("forked")
        pid = os.fork()
        if pid == 0:
            {ends or "pass"}
        else:
            dag.description = str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """,
    )

    parsed = parser.parse(path)

    assert parsed.failures == ()
    assert [dag.spec.description for dag in parsed.dags] == ["3" if "exit" in ends else "1" if ends else "0"]


def test_processes_that_a_file_starts_at_its_import_are_terminated(home, parser):
    path = home.write(
        "pool.py",
        """
        import multiprocessing, time
        from airflow.sdk import DAG
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = pool.map(abs, [-1, -2])
        process = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
        process.start()
        process.terminate()
        process.join()
        dag = DAG("forked", description=f"{found} {process.exitcode}")
    """,
    )

    assert [dag.spec.description for dag in parser.parse(path).dags] == ["[1, 2] -15"]


@pytest.mark.parametrize(
    "broken",
    [
        "def __str__(self): raise ValueError('no str')",
        "def __str__(self): return 3",
        "def __str__(self): raise SystemExit(3)",
        "__traceback__ = property(lambda self: 1 / 0)",
        "__cause__ = property(lambda self: 1 / 0)",
        "__class__ = property(lambda self: 1 / 0)",
    ],
)
@pytest.mark.parametrize(
    "base",
    ["Exception", "SyntaxError", "ModuleNotFoundError", "SystemExit", "OSError", "AirflowException", "BaseException"],
)
def test_an_error_whose_text_cannot_be_made_is_a_failure_of_the_file(home, parser, base, broken):
    path = home.write(
        "broken.py",
        f"""
        from airflow.exceptions import AirflowException
        class E({base}):
            {broken}
        raise E("text")
    """,
    )

    (failure,) = parser.parse(path).failures

    assert path in failure.message and failure.traceback


def test_output_of_a_crash_is_kept_beside_it(home, parser):
    path = home.write("talks.py", "import os\nprint('my last words')\nos._exit(1)\n")

    (failure,) = parser.parse(path).failures

    assert "my last words" in failure.traceback


def test_a_file_that_writes_without_end_to_its_output_is_ended_by_time(home, hasty):
    (failure,) = hasty.parse(home.write("floods.py", "while True:\n    print('x' * 1000)\n")).failures

    assert failure.kind == "timeout"


def test_no_child_is_left_when_the_pool_is_closed(home, parser_with):
    asked: list[str] = []
    parser = parser_with(home.config(), lambda question: asked.append(question.key))
    parser.pool.start(
        home.write(
            "sleeps.py",
            """
        import os, time
        from gnomon.authoring.sdk.connections.variable import Variable
        Variable.get(str(os.getpid()), default_var=None)
        time.sleep(3600)
    """,
        )
    )
    while not asked:
        select.select([parser.pool], [], [], PATIENCE_S)
        parser.pool.poll()

    parser.pool.close()

    assert _is_gone(int(asked[0]))


def _is_gone(pid: int) -> bool:
    try:
        watched = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    ended, _, _ = select.select([watched], [], [], PATIENCE_S)
    os.close(watched)
    return bool(ended)
