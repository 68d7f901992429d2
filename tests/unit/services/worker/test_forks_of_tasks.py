"""A fork that a task makes is a plain program: it has none of the runner's signal handlers and descriptors, and never reports as the task."""

from __future__ import annotations

import json

import pytest
from tests.conformance.workerworld import WorkerWorld, until

WAIT = "print('code', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))\nreturn 'parent'"


def xcom(result: object) -> object:
    """The returned value of the task."""
    values = {item.key: item.value for item in result.xcoms}  # type: ignore[attr-defined]
    return json.loads(values["return_value"])


@pytest.mark.parametrize("fresh", [False, True], ids=["fork", "interpreter"])
@pytest.mark.parametrize(
    ("name", "child", "code", "shown"),
    [
        ("returns", "return 'child'", 0, ""),
        ("raises", "raise RuntimeError('only the child fails')", 1, "RuntimeError: only the child fails"),
        ("exits", "sys.exit(3)", 3, ""),
        ("exits-in-words", "sys.exit('in words')", 1, "in words"),
        ("exits-at-once", "os._exit(4)", 4, ""),
        ("interrupted", "raise KeyboardInterrupt", -2, "KeyboardInterrupt"),
        (
            "skips",
            "from airflow.exceptions import AirflowSkipException\n    raise AirflowSkipException('child')",
            1,
            "AirflowSkipException: child",
        ),
        (
            "fails-for-good",
            "from airflow.exceptions import AirflowFailException\n    raise AirflowFailException('child')",
            1,
            "AirflowFailException: child",
        ),
        (
            "times-out",
            "from airflow.exceptions import AirflowTaskTimeout\n    raise AirflowTaskTimeout('child')",
            1,
            "AirflowTaskTimeout: child",
        ),
        (
            "broken-text",
            "class E(Exception):\n        def __str__(self): raise ValueError('no str')\n    raise E",
            1,
            "E: <exception str() failed>",
        ),
        (
            "grandchild-returns",
            "pid = os.fork()\n    if pid == 0: return 'grandchild'\n    os.waitpid(pid, 0)\n    return 'child'",
            0,
            "",
        ),
    ],
)
def test_a_fork_ends_where_its_code_ends_and_the_task_goes_on(
    world: WorkerWorld, name: str, child: str, code: int, shown: str, fresh: bool
) -> None:
    body = f"pid = os.fork()\nif pid == 0:\n    {child}\n{WAIT}"
    attempt = world.attempt(world.dag(f"{name}-{fresh}", body), fresh=fresh)
    result = world.run(attempt)
    text = world.log_of(attempt)
    assert (result.outcome, result.reason) == ("success", None), text
    assert xcom(result) == "parent"
    assert f"code {code}" in text.splitlines()
    assert shown in text and "task failed" not in text


@pytest.mark.parametrize("fresh", [False, True], ids=["fork", "interpreter"])
@pytest.mark.parametrize("number", ["SIGTERM", "SIGALRM", "SIGINT"])
def test_a_signal_ends_a_fork_and_not_the_task(world: WorkerWorld, number: str, fresh: bool) -> None:
    body = (
        "ready, told = os.pipe()\npid = os.fork()\nif pid == 0:\n    os.write(told, b'x')\n    while True: time.sleep(60)\n"
        f"if {number == 'SIGINT'}: os.read(ready, 1)\nos.kill(pid, signal.{number})\n{WAIT}"  # Python itself loses an early SIGINT
    )
    attempt = world.attempt(world.dag(f"{number}-{fresh}", body), fresh=fresh, timeout_s=600.0)
    result = world.run(attempt)
    assert (result.outcome, xcom(result)) == ("success", "parent")
    expected = {"SIGTERM": -15, "SIGALRM": -14, "SIGINT": -2}[number]
    assert f"code {expected}" in world.log_of(attempt).splitlines()


def test_a_fork_of_a_library_that_calls_no_hooks_of_python_cannot_report_either(world: WorkerWorld) -> None:
    body = (
        "import ctypes\npid = ctypes.PyDLL(None).fork()\nif pid == 0: return 'child'\n"
        "second = ctypes.PyDLL(None).fork()\nif second == 0:\n    time.sleep(60)\n    os._exit(0)\n"
        "os.kill(second, signal.SIGTERM)\nprint('second', os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]))\n" + WAIT
    )
    attempt = world.attempt(world.dag("no-hooks", body))
    result = world.run(attempt)
    assert (result.outcome, xcom(result)) == ("success", "parent")
    assert {"code 0", "second -15"} <= set(world.log_of(attempt).splitlines())


def test_a_fork_has_the_signal_handlers_of_a_plain_program_and_keeps_those_of_the_task(world: WorkerWorld) -> None:
    body = (
        "signal.signal(signal.SIGUSR1, print)\n"
        "pid = os.fork()\nif pid == 0:\n"
        "    plain = [signal.getsignal(n) == signal.SIG_DFL for n in (signal.SIGTERM, signal.SIGALRM, signal.SIGURG, signal.SIGCHLD)]\n"
        "    print('plain', all(plain), signal.getsignal(signal.SIGINT) is signal.default_int_handler, signal.getsignal(signal.SIGUSR1) is print)\n"
        "    print('blocked', signal.pthread_sigmask(signal.SIG_BLOCK, ()), 'timer', signal.getitimer(signal.ITIMER_REAL))\n"
        f"    os._exit(0)\n{WAIT}"
    )
    attempt = world.attempt(world.dag("handlers", body), timeout_s=600.0)
    assert world.run(attempt).outcome == "success"
    lines = world.log_of(attempt).splitlines()
    assert "plain True True True" in lines and "blocked set() timer (0.0, 0.0)" in lines


def test_a_fork_holds_no_socket_and_no_log_of_the_runner(world: WorkerWorld) -> None:
    body = (
        "pid = os.fork()\nif pid == 0:\n"
        "    numbers = [int(n) for n in os.listdir('/proc/self/fd')]\n"
        "    links = {n: os.readlink(f'/proc/self/fd/{n}') for n in numbers if n > 2 and os.path.exists(f'/proc/self/fd/{n}')}\n"
        "    print('held', sorted(link for link in links.values() if 'socket' in link or '.log' in link))\n"
        f"    os._exit(0)\n{WAIT}"
    )
    attempt = world.attempt(world.dag("descriptors", body))
    assert world.run(attempt).outcome == "success"
    assert "held []" in world.log_of(attempt).splitlines()


def test_a_request_of_a_fork_is_refused_in_words(world: WorkerWorld) -> None:
    body = f"pid = os.fork()\nif pid == 0:\n    from airflow.sdk import Variable\n    Variable.get('asked')\n{WAIT}"
    attempt = world.attempt(world.dag("asks", body))
    result = world.run(attempt)
    assert (result.outcome, xcom(result)) == ("success", "parent")
    assert "Read Variables, Connections and XComs before the fork" in world.log_of(attempt)


@pytest.mark.parametrize("fresh", [False, True], ids=["fork", "interpreter"])
@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("returns", ""),
        ("raises", "if pid == 0: raise RuntimeError('only the child fails')"),
        ("exits", "if pid == 0: sys.exit(3)"),
    ],
)
def test_a_fork_at_the_import_of_the_file_is_not_a_second_process_for_its_tasks(
    world: WorkerWorld, name: str, ends: str, fresh: bool
) -> None:
    head = f"pid = os.fork()\n{ends}\nif pid: print('status', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))"
    body = f"print('ran in', os.getpid())\n{WAIT.rpartition(chr(10))[2]}"
    attempt = world.attempt(world.dag(f"import-{name}-{fresh}", body, head), fresh=fresh)
    result = world.run(attempt)
    assert (result.outcome, xcom(result)) == ("success", "parent")
    assert world.log_of(attempt).count("ran in") == 1


def test_processes_that_the_import_of_the_file_starts_are_terminated(world: WorkerWorld) -> None:
    head = (
        "import multiprocessing\nprocess = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\n"
        "process.start()\nprocess.terminate()\nprocess.join()\nCODE = process.exitcode"
    )
    result = world.run(world.attempt(world.dag("import-terminates", "return CODE", head)))
    assert (result.outcome, xcom(result)) == ("success", -15)


CALLBACKS = """
import os
from gnomon import DAG, task

def forks(context):
    if os.fork() == 0:
        {ends}
    os.wait()

def after(context):
    print("after", context["ti"].task_id)

@task({argument}=[forks, after])
def t():
    {body}

with DAG("d", schedule=None):
    t()
"""


@pytest.mark.parametrize("ends", ["return", "raise RuntimeError('only the child fails')"], ids=["returns", "raises"])
@pytest.mark.parametrize(
    ("argument", "body", "outcome"),
    [
        ("on_execute_callback", "return 1", "success"),
        ("on_success_callback", "return 1", "success"),
        ("on_failure_callback", "raise ValueError('of the task')", "failed"),
    ],
)
def test_a_fork_of_a_callback_calls_no_other_callback(
    world: WorkerWorld, argument: str, body: str, outcome: str, ends: str
) -> None:
    path = world.home / f"{argument}-{ends[:5]}.py"
    path.write_text(CALLBACKS.format(argument=argument, body=body, ends=ends))
    attempt = world.attempt(path)
    assert world.run(attempt).outcome == outcome
    text = world.log_of(attempt)
    assert text.count("after t") == 1
    assert ("only the child fails" in text) == ends.startswith("raise") and f"{argument} of task t failed" not in text


def test_only_the_process_of_the_task_calls_on_kill(world: WorkerWorld) -> None:
    path = world.home / "on_kill.py"
    path.write_text(
        "import os, time\nfrom gnomon import DAG, BaseOperator\n\nclass Forks(BaseOperator):\n"
        "    def execute(self, context):\n        self.child = os.fork()\n        if self.child == 0:\n            time.sleep(600)\n"
        "        print('ready', flush=True)\n        time.sleep(600)\n"
        "    def on_kill(self):\n        print('on_kill', self.child != 0)\n\nwith DAG('d', schedule=None):\n    Forks(task_id='t')\n"
    )
    attempt = world.attempt(path)
    world.executor.submit(world.worker_id, [attempt])
    until(
        lambda: (world.home / "logs" / attempt.log).exists() and "ready" in world.log_of(attempt), "the task is ready"
    )
    world.executor.cancel(world.worker_id, attempt.attempt_id, "marked failed by ann", 30)
    assert world.result_of(attempt).reason == "marked failed by ann"
    assert world.log_of(attempt).count("on_kill True") == 1 and "on_kill False" not in world.log_of(attempt)


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_of_multiprocessing_end_and_are_terminated(world: WorkerWorld, method: str) -> None:
    body = (
        f"import multiprocessing, concurrent.futures\ncontext = multiprocessing.get_context('{method}')\n"
        "with context.Pool(2) as pool: first = pool.map(abs, [-1, -2, 3])\n"
        "with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool: second = list(pool.map(abs, [-4, 5]))\n"
        "process = context.Process(target=time.sleep, args=(60,))\nprocess.start()\nprocess.terminate()\nprocess.join()\n"
        "return [first, second, process.exitcode]"
    )
    attempt = world.attempt(world.dag(f"multi-{method}", body))
    result = world.run(attempt)
    assert (result.outcome, result.reason) == ("success", None), world.log_of(attempt)
    assert xcom(result) == [[1, 2, 3], [4, 5], -15]


def test_a_daemon_that_outlives_the_task_does_not_hold_it_up(world: WorkerWorld) -> None:
    body = (
        "pid = os.fork()\nif pid == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(600)\n    os._exit(0)\n"
        + WAIT
    )
    attempt = world.attempt(world.dag("daemon", body))
    result = world.run(attempt)
    assert (result.outcome, xcom(result)) == ("success", "parent")
    until(
        lambda: "1 process(es) that the task had left behind were killed" in world.log_of(attempt),
        "the daemon is killed",
    )


def test_text_that_was_printed_before_a_fork_is_written_once(world: WorkerWorld) -> None:
    body = "print('before', end=' ')\npid = os.fork()\nif pid == 0:\n    return\nos.waitpid(pid, 0)\nprint('after')"
    attempt = world.attempt(world.dag("once", body))
    assert world.run(attempt).outcome == "success"
    assert world.log_of(attempt).splitlines()[0] == "before after"


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("and-ends", "os.closerange(3, 256)\nreturn 1"),
        ("and-opens-files", "os.closerange(3, 256)\nfor n in range(40): os.open('/dev/null', os.O_WRONLY)\nreturn 1"),
        (
            "and-opens-sockets",
            "import socket\nos.closerange(3, 256)\npairs = [socket.socketpair() for _ in range(20)]\nreturn 1",
        ),
        ("and-asks", "os.closerange(3, 256)\nfrom airflow.sdk import Variable\nVariable.get('x')"),
        ("and-raises", "os.closerange(3, 256)\nraise ValueError('of the task')"),
        ("and-runs-on", "os.closerange(3, 256)\ntime.sleep(600)"),
    ],
)
def test_a_task_that_closes_the_socket_to_its_worker_fails_with_that_reason(
    world: WorkerWorld, name: str, body: str
) -> None:
    attempt = world.attempt(world.dag(f"closes-{name}", body))
    result = world.run(attempt)
    assert result.outcome == "failed"
    assert result.reason is not None and result.reason.startswith("the task has closed the socket to its worker")
    assert world.log_of(attempt).splitlines()[-1].endswith(f"task failed: {result.reason}")
    assert ("ValueError: of the task" in world.log_of(attempt)) == (name == "and-raises")
