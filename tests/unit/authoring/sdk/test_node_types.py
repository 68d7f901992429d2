"""The author's classes have the types that the modules below them use; mypy checks the annotations here."""

from __future__ import annotations

import os

import gnomon
from gnomon.authoring.sdk.arguments import code_location
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode, TaskNode
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.templating.lazy_environment import TemplateOwner
from gnomon.authoring.sdk.templating.templater import Templater

DAG_TYPE: type[DagNode] = DAG
GROUP_TYPE: type[GroupNode] = TaskGroup
TASK_TYPE: type[TaskNode] = BaseOperator
OWNER_TYPE: type[TemplateOwner] = Templater


def test_a_dag_a_group_and_a_task_have_the_members_of_their_types() -> None:
    with DAG("d") as dag, TaskGroup("g") as group:
        task = BaseOperator(task_id="t")
    for node, protocol in ((dag, DagNode), (group, GroupNode), (task, TaskNode)):
        members = {*protocol.__annotations__, *vars(protocol)} - {*vars(TaskNode.__base__), "__abstractmethods__"}
        names = {
            name
            for name in members
            if not name.startswith("__") and not name.startswith("_is_") and name != "_abc_impl"
        }
        assert [name for name in sorted(names) if not hasattr(node, name)] == []


def test_locations_skip_every_file_of_the_package() -> None:
    assert code_location._PACKAGE_FOLDER == os.path.dirname(os.path.abspath(gnomon.__file__ or "")) + os.sep
