/** One asset: who writes it, who waits for it and for what else, its watchers and its events with the runs that consumed them. */

import { Act } from "../../components/Act";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import {
  type Asset,
  assetQuery,
  consumerExplanationQuery,
  type QueuedEvents,
  queuedEventsQuery,
  watchersQuery,
} from "../../api/across";
import { Answer } from "../../components/Answer";
import { JsonTree } from "../../components/JsonTree";
import { SentenceList } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { AssetActs } from "./AssetActs";
import { AssetEvents } from "./AssetEvents";
import { DagLinks, TaskLinks } from "./AssetLinks";
import styles from "./asset.module.css";

const CONSUMERS_MAX = 20;

const route = getRouteApi("/assets/$assetId");

export function AssetPage() {
  const { assetId } = route.useParams();
  return (
    <Answer query={useQuery(assetQuery(assetId))} what={t("the asset")}>
      {(asset) => (
        <>
          <Head asset={asset} />
          <div className={styles.columns}>
            <Consumers asset={asset} />
            <Facts asset={asset} />
          </div>
          {asset.watchers.length > 0 && <Watchers assetId={assetId} />}
          <AssetEvents assetId={assetId} />
        </>
      )}
    </Answer>
  );
}

function Head({ asset }: { asset: Asset }) {
  return (
    <PageHeader
      path={
        <Link to="/assets" search={{}}>
          {t("Assets")}
        </Link>
      }
      title={asset.name}
      facts={
        <>
          {asset.uri !== asset.name && <span className="name">{asset.uri}</span>}
          <span>
            {t("Last event")} <Time at={asset.last_asset_event?.timestamp} />
          </span>
          <Link to="/dependencies/graph" search={{ find: asset.name }}>
            {t("Graph of DAGs and assets")}
          </Link>
        </>
      }
      acts={
        <Act needs="create asset">
          <AssetActs asset={asset} />
        </Act>
      }
    />
  );
}

function Facts({ asset }: { asset: Asset }) {
  return (
    <Card title={t("Lineage")}>
      <dl>
        <dt>{t("Written by")}</dt>
        <dd>
          <TaskLinks tasks={asset.producing_tasks} />
        </dd>
        <dt>{t("Read by")}</dt>
        <dd>
          <TaskLinks tasks={asset.consuming_tasks} />
        </dd>
        <dt>{t("Group")}</dt>
        <dd className="name">{asset.group}</dd>
        {asset.aliases.length > 0 && (
          <>
            <dt>{t("Aliases")}</dt>
            <dd>{asset.aliases.map((one) => one.name).join(", ")}</dd>
          </>
        )}
        {asset.extra && Object.keys(asset.extra).length > 0 && (
          <>
            <dt>{t("Extra")}</dt>
            <dd>
              <JsonTree value={asset.extra} />
            </dd>
          </>
        )}
      </dl>
    </Card>
  );
}

function Consumers({ asset }: { asset: Asset }) {
  const queue = useQuery(queuedEventsQuery(String(asset.id)));
  const dagIds = asset.scheduled_dags.map((one) => one.dag_id);
  return (
    <Card title={t("DAGs that it schedules")}>
      {dagIds.length === 0 && <p className="soft">{t("No DAG is scheduled by this asset.")}</p>}
      <Answer query={queue} what={t("the queued events")}>
        {(found) => (
          <ul className="lines">
            {dagIds.slice(0, CONSUMERS_MAX).map((dagId) => (
              <Consumer key={dagId} dagId={dagId} queue={found} />
            ))}
          </ul>
        )}
      </Answer>
      {dagIds.length > CONSUMERS_MAX && <DagLinks dagIds={dagIds.slice(CONSUMERS_MAX)} />}
    </Card>
  );
}

/** A DAG, since when events wait in its queue, and what it still waits for: the sentences of its explanation. */
function Consumer({ dagId, queue }: { dagId: string; queue: QueuedEvents }) {
  const why = useQuery(consumerExplanationQuery(dagId));
  const queued = queue.queued_events.find((one) => one.dag_id === dagId);
  return (
    <li>
      <Link className="name" to="/dags/$dagId" params={{ dagId }} search={{}}>
        {dagId}
      </Link>{" "}
      {queued ? (
        <>
          {t("has an event in its queue since")} <Time at={queued.created_at} />
        </>
      ) : (
        <span className="soft">{t("has no event in its queue")}</span>
      )}
      {why.data && why.data.coded.length > 0 && <SentenceList className={styles.why} sentences={why.data.coded} />}
    </li>
  );
}

function Watchers({ assetId }: { assetId: string }) {
  return (
    <section>
      <h2>{t("Watchers")}</h2>
      <Answer query={useQuery(watchersQuery(assetId))} what={t("the watchers")}>
        {(found) => (
          <div className="scroll">
            <table>
              <thead>
                <tr>
                  <th>{t("Name")}</th>
                  <th>{t("State")}</th>
                  <th>{t("Trigger")}</th>
                  <th>{t("Declared by")}</th>
                  <th>{t("Events")}</th>
                  <th>{t("Last event")}</th>
                </tr>
              </thead>
              <tbody>
                {found.watchers.map((one) => (
                  <tr key={`${one.name} ${one.dag_id}`}>
                    <td className="name">{one.name}</td>
                    <td>{one.state}</td>
                    <td className="name">{one.trigger}</td>
                    <td>
                      <DagLinks dagIds={[one.dag_id]} />
                    </td>
                    <td>{one.events}</td>
                    <td>
                      <Time at={one.last_event} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Answer>
    </section>
  );
}
