/** The events of an asset, the newest first: where each came from, what it carries, and the runs that consumed it. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type AssetEvent, assetEventsQuery, EVENTS_PAGE } from "../../api/across";
import { Answer } from "../../components/Answer";
import { PageSteps } from "../../components/PageSteps";
import { RunName } from "../../components/Names";
import { StateBadge } from "../../components/StateBadge";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";

const FOLDED_LENGTH = 120;

const route = getRouteApi("/assets/$assetId");

export function AssetEvents({ assetId }: { assetId: string }) {
  const { page = 1 } = route.useSearch();
  const navigate = useNavigate();
  return (
    <section>
      <Answer query={useQuery(assetEventsQuery(assetId, page))} what={t("the events")}>
        {(found) => (
          <>
            <h2>
              {t("Events")}{" "}
              <span className="soft small" role="status">
                {tn("{count} event", "{count} events", found.total_entries)}
              </span>
            </h2>
            {found.asset_events.length > 0 && (
              <StackTable label={t("Events")} headings={[t("Time"), t("Source"), t("Extra"), t("Consumed by")]}>
                {found.asset_events.map((one) => (
                  <EventRow key={one.id} event={one} />
                ))}
              </StackTable>
            )}
            <PageSteps
              page={page}
              size={EVENTS_PAGE}
              total={found.total_entries}
              go={(to) => void navigate({ to: "/assets/$assetId", params: { assetId }, search: { page: to } })}
            />
          </>
        )}
      </Answer>
    </section>
  );
}

function EventRow({ event }: { event: AssetEvent }) {
  return (
    <tr>
      <td>
        <Time at={event.timestamp} />
        {event.partition_key && (
          <span className="soft block name">{t("partition {key}", { key: event.partition_key })}</span>
        )}
      </td>
      <td>
        <Source event={event} />
      </td>
      <td>
        <Extra extra={event.extra} />
      </td>
      <td>
        {event.created_dagruns.length === 0 && <span className="soft">{t("no run yet")}</span>}
        {event.created_dagruns.map((run) => (
          <span key={`${run.dag_id} ${run.run_id}`} className="block">
            <StateBadge state={run.state} /> <RunOfDag dagId={run.dag_id} runId={run.run_id} />
          </span>
        ))}
      </td>
    </tr>
  );
}

function RunOfDag({ dagId, runId }: { dagId: string; runId: string }) {
  return (
    <Link className="name" to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} title={runId}>
      {dagId} <RunName runId={runId} />
    </Link>
  );
}

function Source({ event }: { event: AssetEvent }) {
  if (!event.source_dag_id || !event.source_run_id) return <span className="soft">{t("from outside")}</span>;
  const task = event.source_task_id;
  const map = event.source_map_index >= 0 ? event.source_map_index : undefined;
  return (
    <>
      <span className="block">
        <RunOfDag dagId={event.source_dag_id} runId={event.source_run_id} />
      </span>
      {task && (
        <Link
          className="name"
          to="/dags/$dagId/runs/$runId/tasks/$taskId"
          params={{ dagId: event.source_dag_id, runId: event.source_run_id, taskId: task }}
          search={{ map }}
        >
          {task}
          {map === undefined ? "" : ` [${map}]`}
        </Link>
      )}
    </>
  );
}

function Extra({ extra }: { extra: AssetEvent["extra"] }) {
  const text = JSON.stringify(extra ?? {});
  if (text === "{}") return <span className="soft none">–</span>;
  if (text.length <= FOLDED_LENGTH) return <code className="name">{text}</code>;
  return (
    <details>
      <summary>
        <code className="name">{text.slice(0, FOLDED_LENGTH)}…</code>
      </summary>
      <pre tabIndex={0}>{JSON.stringify(extra, null, 2)}</pre>
    </details>
  );
}
