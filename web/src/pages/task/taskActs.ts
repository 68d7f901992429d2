/** The acts on a task instance, and what they are about. */

import { useQuery } from "@tanstack/react-query";
import type { ActScope, ActTarget } from "../../api/acts";
import type { InstancePlace } from "../../api/places";
import { taskExplanationQuery } from "../../api/queries";
import { runTasksQuery } from "../../api/runs";
import type { ActChoice } from "../../components/ActDialog";
import { listGroups } from "../run/taskRows";

export const CLEAR: ActChoice = { act: "clear", label: /* text */ "Clear (run again)", scope: { downstream: true } };
export const TASK_ACTS: ActChoice[] = [
  CLEAR,
  { act: "success", label: /* text */ "Mark as success", scope: {} },
  { act: "failed", label: /* text */ "Mark as failed", scope: {} },
  { act: "skipped", label: /* text */ "Mark as skipped", scope: {} },
];
export const RUNNING_ACTS: ActChoice[] = [
  { act: "failed", label: /* text */ "Kill", scope: {} },
  ...TASK_ACTS.filter((one) => one.act !== "failed"),
];

/** The task instance with its group, which is read after what the page shows first. */
export function useActTarget(at: InstancePlace): ActTarget {
  const isShown = useQuery(taskExplanationQuery(at)).isFetched;
  const found = useQuery({ ...runTasksQuery(at.dagId, at.runId), enabled: isShown }).data;
  const groupId = found?.tasks.find((one) => one.task_id === at.taskId)?.group ?? undefined;
  const groupTasks =
    groupId === undefined
      ? undefined
      : found?.tasks.filter((one) => listGroups(one, found.groups).includes(groupId)).map((one) => one.task_id);
  return { ...at, ...(groupId === undefined ? {} : { groupId, groupTasks: groupTasks ?? [] }) };
}

/** What an act on the instance can be extended to. */
export function listScopes(target: ActTarget): (keyof ActScope)[] {
  return [
    "upstream",
    "downstream",
    "past",
    "future",
    "onlyFailed",
    ...(target.groupId ? ["group" as const] : []),
    ...((target.mapIndex ?? -1) >= 0 ? ["allIndexes" as const] : []),
  ];
}
