/** The task instances of one run. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { runTasksQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { t } from "../../state/language";
import type { TaskListView } from "./runSearch";
import { TaskList } from "./TaskList";

const route = getRouteApi("/dags/$dagId/runs/$runId/");

export function RunTasks() {
  const { dagId, runId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (search: TaskListView) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId",
      params: { dagId, runId },
      search,
      replace: true,
      resetScroll: false,
    });
  return (
    <section>
      <h2 className="unseen">{t("Tasks")}</h2>
      <Answer query={useQuery(runTasksQuery(dagId, runId))} what={t("the tasks")}>
        {(found) => <TaskList dagId={dagId} runId={runId} found={found} view={view} set={set} />}
      </Answer>
    </section>
  );
}
