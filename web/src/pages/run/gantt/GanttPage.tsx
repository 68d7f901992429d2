/** The Gantt chart of a run in the whole window. */

import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { t } from "../../../state/language";
import { buttonClass } from "../../../ui/Button";
import { ShrinkIcon } from "../../../ui/icons";
import { Fill } from "../../../ui/PageHeader";
import { SearchBox } from "../../../ui/SearchBox";
import { FAILED } from "../taskRows";
import styles from "./gantt.module.css";
import type { GanttLine } from "./ganttLines";
import { GanttPane } from "./GanttPane";
import type { GanttView } from "./ganttView";

const route = getRouteApi("/dags/$dagId/runs/$runId/gantt");

export function GanttPage() {
  const { dagId, runId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GanttView) =>
    void navigate({
      to: "/dags/$dagId/runs/$runId/gantt",
      params: { dagId, runId },
      search: { ...view, ...some },
      replace: true,
    });
  const { task = "", only } = view;
  const isShown = useCallback(
    (line: GanttLine, isCritical: boolean) =>
      line.name.toLowerCase().includes(task.toLowerCase()) &&
      (only !== "failed" || FAILED.includes(line.state ?? "")) &&
      (only !== "unfinished" || line.end === undefined) &&
      (only !== "critical" || isCritical),
    [task, only],
  );
  const back = t("Back to tasks and log");
  return (
    <Fill className={styles.whole}>
      <GanttPane
        dagId={dagId}
        runId={runId}
        view={view}
        set={set}
        isShown={isShown}
        lead={
          <>
            <SearchBox label={t("Task")} value={task} onChange={(text) => set({ task: text })} />
            <select
              aria-label={t("Show")}
              value={only ?? ""}
              onChange={(event) => set({ only: (event.target.value || undefined) as GanttView["only"] })}
            >
              <option value="">{t("all")}</option>
              <option value="failed">{t("only failed")}</option>
              <option value="unfinished">{t("only unfinished")}</option>
              <option value="critical">{t("only the critical path")}</option>
            </select>
          </>
        }
        tail={
          <Link
            className={buttonClass("quiet", true)}
            to="/dags/$dagId/runs/$runId"
            params={{ dagId, runId }}
            search={{}}
            aria-label={back}
            title={back}
          >
            <ShrinkIcon size={16} aria-hidden="true" />
          </Link>
        }
      />
    </Fill>
  );
}
