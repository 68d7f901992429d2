"""`pod_mutation_hook`: called for each pod in a process of its own, and what is said when it gives no pod."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.processes.host_process import build_host_environment
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import load_config
from gnomon.services.executors.kubernetes.pod_hook import PodHook, PodHookFailed
from gnomon.services.executors.kubernetes.pod_template import ATTEMPT_LABEL, build_pod

from .test_pods import make_attempt, make_settings

Make = Callable[..., PodHook]


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[Make]:
    made: list[PodHook] = []

    def make(source: str | None, limit_s: float = 60.0) -> PodHook:
        if source is not None:
            (tmp_path / "config").mkdir(exist_ok=True)
            (tmp_path / "config" / "airflow_local_settings.py").write_text(textwrap.dedent(source))
        made.append(PodHook(build_host_environment(load_config({}, home=tmp_path), {}), SystemClock(), limit_s))
        return made[-1]

    yield make
    for one in made:
        one.close()


def built() -> dict[str, Any]:
    return build_pod(make_settings(), make_attempt())


def test_the_hook_changes_the_pod_but_not_what_the_executor_finds_it_by(hook: Make, tmp_path: Path) -> None:
    calls = hook(f"""
        import os
        def pod_mutation_hook(pod):
            open({str(tmp_path / "pid")!r}, "w").write(str(os.getpid()))
            pod.spec.priority_class_name = "low"
            pod.metadata.labels = {{"team": pod.metadata.annotations["dag_id"]}}
            pod.metadata.name = "other"
    """)
    pod = calls.apply(built())
    assert pod["spec"]["priorityClassName"] == "low"
    assert pod["metadata"]["labels"] == {
        "team": "d",
        ATTEMPT_LABEL: built()["metadata"]["labels"][ATTEMPT_LABEL],
        "gnomon-deployment": "mine",
    }
    assert pod["metadata"]["name"] == built()["metadata"]["name"]
    assert (
        pod["spec"]["volumes"] == built()["spec"]["volumes"]
        and pod["spec"]["containers"] == built()["spec"]["containers"]
    )
    first = (tmp_path / "pid").read_text()
    calls.apply(built())
    assert (tmp_path / "pid").read_text() == first != str(os.getpid()), "one process for all pods, and not this one"


def test_without_a_hook_the_pod_stays_as_it_is_and_the_process_ends(hook: Make) -> None:
    calls = hook("def dag_policy(dag): ...")
    assert calls.apply(built()) == built()
    assert calls._process is None
    assert calls.apply(built()) == built()


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "def pod_mutation_hook(pod):\n    raise ValueError('no team')\n",
            r"the cluster policy pod_mutation_hook failed at .*airflow_local_settings.py, line 2: ValueError: no team",
        ),
        (
            "def pod_mutation_hook(pod):\n    pod.spec.containers = []\n",
            "left a pod without a container; correct the policy",
        ),
        (
            "import os\ndef pod_mutation_hook(pod):\n    print('last words', flush=True)\n    os._exit(3)\n",
            "ended with exit code 3: last words; correct the policy",
        ),
        ("1 / 0\n", "the cluster policies cannot be loaded: .*airflow_local_settings.py, line 1: ZeroDivisionError"),
    ],
)
def test_a_hook_that_gives_no_pod_is_named_with_the_cause(hook: Make, source: str, words: str, tmp_path: Path) -> None:
    calls = hook(source)
    with pytest.raises(PodHookFailed, match=words):
        calls.apply(built())
    file = tmp_path / "config" / "airflow_local_settings.py"
    file.write_text("def pod_mutation_hook(pod):\n    pod.spec.priority_class_name = 'again'\n")
    os.utime(file, ns=(1, 1))
    assert calls.apply(built())["spec"]["priorityClassName"] == "again", "the corrected policy is used for the next pod"


def test_a_hook_that_hangs_is_ended(hook: Make) -> None:
    calls = hook("import time\ndef pod_mutation_hook(pod):\n    time.sleep(1000)\n", limit_s=8.0)
    with pytest.raises(
        PodHookFailed, match="pod_mutation_hook did not return within 8 s, and was ended; make it faster"
    ):
        calls.apply(built())
    assert calls._process is None
