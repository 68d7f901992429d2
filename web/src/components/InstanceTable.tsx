/** Task instances of a run, each a link to its page. */

import { Link } from "@tanstack/react-router";
import type { TaskInstance } from "../api/shapes";
import { formatDuration } from "../state/times";
import { StateBadge } from "./StateBadge";
import { Time } from "./Time";

export function InstanceTable({ dagId, runId, instances }: { dagId: string; runId: string; instances: TaskInstance[] }) {
  return (
    <table>
      <thead><tr><th>Task</th><th>State</th><th>Try</th><th>Started</th><th>Duration</th></tr></thead>
      <tbody>
        {instances.map((one) => (
          <tr key={one.id}>
            <td>
              <Link className="name" to="/dags/$dagId/runs/$runId/tasks/$taskId" params={{ dagId, runId, taskId: one.task_id }} search={{ map: one.map_index < 0 ? undefined : one.map_index }}>
                {one.task_display_name}{one.map_index < 0 ? "" : ` [${one.rendered_map_index ?? one.map_index}]`}
              </Link>
            </td>
            <td><StateBadge state={one.state} /></td>
            <td>{one.try_number}</td>
            <td><Time at={one.start_date} /></td>
            <td>{formatDuration(one.duration)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
