/** The frame of all views of one run: what it is, how it is, its acts, and why it waits or how it ended. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet } from "@tanstack/react-router";
import { dagQuery, runQuery } from "../../api/queries";
import { Failure } from "../../components/Answer";
import { isMissing, Missing } from "../../components/Missing";
import { RunName } from "../../components/Names";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import { isKnownMissing } from "../../state/missing";
import { buttonClass } from "../../ui/Button";
import { PageHeader } from "../../ui/PageHeader";
import { useZoneOfDag } from "../dag/zoneOfDag";
import { RunActs } from "./RunActs";
import { RunFacts } from "./RunFacts";
import { RunNotices } from "./RunNotices";

const route = getRouteApi("/dags/$dagId/runs/$runId");

export function RunFrame() {
  const { dagId, runId } = route.useParams();
  const run = useQuery(runQuery(dagId, runId));
  const client = useQueryClient();
  const isAbsent = isKnownMissing(client, dagId, runId);
  useZoneOfDag(useQuery({ ...dagQuery(dagId), enabled: !isAbsent }).data?.timezone);
  if (isMissing(run.error))
    return (
      <>
        <h1 className="name">{runId}</h1>
        <Missing
          error={run.error}
          nearest={
            !isKnownMissing(client, dagId) && (
              <Link to="/dags/$dagId" params={{ dagId }} search={{}} className={buttonClass("primary")}>
                {t("The runs of {dag}", { dag: dagId })}
              </Link>
            )
          }
        />
      </>
    );
  if (isAbsent && run.error === null) return <h1 className="name">{runId}</h1>;
  return (
    <>
      <PageHeader
        path={
          <Link to="/dags/$dagId" params={{ dagId }} search={{}} className="name">
            {dagId}
          </Link>
        }
        title={
          <span title={runId}>
            <RunName runId={runId} />
          </span>
        }
        state={run.data && <StateBadge state={run.data.state} />}
        facts={run.data ? <RunFacts run={run.data} /> : <span>{t("Reading {what} …", { what: t("the run") })}</span>}
        acts={run.data && <RunActs run={run.data} />}
      />
      {run.isError && <Failure what={t("the run")} error={run.error} retry={() => void run.refetch()} />}
      {run.data && <RunNotices run={run.data} />}
      <Outlet />
    </>
  );
}
