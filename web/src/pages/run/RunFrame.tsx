/** The frame of all views of one run: what it is, why it waits or how it ended, its acts, its tabs. */

import { TabLinks } from "../../ui/Tabs";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useNavigate } from "@tanstack/react-router";
import { dagQuery, runExplanationQuery, runQuery } from "../../api/queries";
import { ActPanel, type ActChoice } from "../../components/ActPanel";
import { Answer } from "../../components/Answer";
import { isMissing, Missing } from "../../components/Missing";
import { Why } from "../../components/Why";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { useZoneOfDag } from "../dag/DagFrame";
import { RunHead } from "./RunHead";
import { RunNeighbours } from "./RunNeighbours";
import { RUN_TABS } from "./runTabs";

const route = getRouteApi("/dags/$dagId/runs/$runId");
const CHOICES: ActChoice[] = [
  { act: "clear", label: /* text */ "Clear what failed (run again)", scope: { onlyFailed: true } },
  { act: "clear", label: /* text */ "Clear all (run all again)", scope: {} },
  { act: "success", label: /* text */ "Mark as success", scope: {} },
  { act: "failed", label: /* text */ "Mark as failed", scope: {} },
  { act: "delete", label: /* text */ "Delete", scope: {} },
];

export function RunFrame() {
  const { dagId, runId } = route.useParams();
  const navigate = useNavigate();
  const run = useQuery(runQuery(dagId, runId));
  const isAbsent = isKnownMissing(useQueryClient(), dagId, runId);
  useZoneOfDag(useQuery({ ...dagQuery(dagId), enabled: !isAbsent }).data?.timezone);
  const explanation = useQuery({ ...runExplanationQuery(dagId, runId), enabled: !isAbsent });
  if (isMissing(run.error))
    return (
      <>
        <h1 className="name">{runId}</h1>
        <Missing error={run.error} />
      </>
    );
  if (isAbsent && run.error === null) return <h1 className="name">{runId}</h1>;
  return (
    <>
      <p className="path">
        <Link to="/dags/$dagId" params={{ dagId }} search={{}}>
          {dagId}
        </Link>
      </p>
      <div className="head-line">
        <h1 className="name">{runId}</h1>
        {run.data && <RunNeighbours run={run.data} />}
      </div>
      <Answer query={run} what={t("the run")}>
        {(found) => <RunHead run={found} />}
      </Answer>
      <Why query={explanation} dagId={dagId} none={t("Nothing prevents this run from going on.")} />
      <ActPanel
        target={{ dagId, runId }}
        choices={CHOICES}
        scopes={["onlyFailed", "otherDags"]}
        onDone={(act) => {
          if (act === "delete") void navigate({ to: "/dags/$dagId", params: { dagId }, search: {} });
        }}
      />
      <TabLinks label={t("Views of the run")}>
        {RUN_TABS.map((tab) => (
          <Link
            key={tab.to}
            to={tab.to}
            params={{ dagId, runId }}
            search={{}}
            activeOptions={{ exact: true, includeSearch: false }}
          >
            {t(tab.label)}
          </Link>
        ))}
        <Link to="/dags/$dagId/graph" params={{ dagId }} search={{ run: runId }}>
          {t("Graph")}
        </Link>
      </TabLinks>
      <Outlet />
    </>
  );
}
