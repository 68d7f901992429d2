/** The graph of a DAG with the states of one run: a line of controls, and the picture or its table. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { structureQuery } from "../../../api/dagViews";
import { Answer } from "../../../components/Answer";
import { startWorker } from "../../../components/graph/layoutClient";
import { useNarrow } from "../../../components/useNarrow";
import { t, tn } from "../../../state/language";
import { buttonClass, Segments } from "../../../ui/Button";
import { Toolbar } from "../../../ui/PageHeader";
import { SearchBox } from "../../../ui/SearchBox";
import { RunPicker, useShownRun } from "../RunPicker";
import type { GraphView } from "./graphView";
import { TaskGraph } from "./TaskGraph";

const route = getRouteApi("/dags/$dagId/graph");
startWorker();

export function GraphPage() {
  const { dagId } = route.useParams();
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GraphView) =>
    void navigate({
      to: "/dags/$dagId/graph",
      params: { dagId },
      search: { ...view, ...some },
      replace: true,
    });
  const isNarrow = useNarrow();
  const isDown = view.down === undefined ? isNarrow : view.down === "yes";
  const { runId, isKnown } = useShownRun(dagId, view.run);
  const structure = useQuery({ ...structureQuery(dagId, runId), enabled: isKnown });
  return (
    <section>
      <Toolbar label={t("Controls of the graph")}>
        <RunPicker dagId={dagId} chosen={view.run} choose={(run) => set({ run })} />
        <SearchBox
          label={t("Search")}
          value={view.find}
          placeholder={t("part of a task id")}
          onChange={(find) => set({ find })}
        />
        <Segments
          label={t("How the graph is shown")}
          value={view.as ?? "picture"}
          options={[
            { value: "picture", label: t("Picture") },
            { value: "table", label: t("As a table") },
          ]}
          choose={(as) => set({ as: as === "table" ? as : undefined })}
        />
        {runId !== undefined && (
          <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} className={buttonClass("quiet")}>
            {t("Open the run")}
          </Link>
        )}
        {structure.data && (
          <span className="soft">
            {tn("{count} task", "{count} tasks", structure.data.tasks.length)}
            {structure.data.groups.length > 0 &&
              ` · ${tn("{count} group", "{count} groups", structure.data.groups.length)}`}
          </span>
        )}
      </Toolbar>
      <Answer query={structure} what={t("the graph")}>
        {(found) => (
          <TaskGraph key={found.dag_id} structure={found} runId={runId} view={view} isDown={isDown} set={set} />
        )}
      </Answer>
    </section>
  );
}
