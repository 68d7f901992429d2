/** Everything that a DAG is set to, with where it comes from. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { settingsQuery } from "../../../api/plans";
import { dagQuery } from "../../../api/queries";
import type { DagDetails, DagSettings } from "../../../api/shapes";
import { Answer } from "../../../components/Answer";
import { Interval } from "../../../components/Interval";
import { JsonTree } from "../../../components/JsonTree";
import { cutText, LongText } from "../../../components/LongText";
import { Sentence } from "../../../components/Sentences";
import { Time } from "../../../components/Time";
import { LazyMarkdown } from "../../../components/LazyMarkdown";
import { Value } from "../../../components/Value";
import { t } from "../../../state/language";
import { formatDuration } from "../../../state/times";
import { Card } from "../../../ui/Card";
import { buildFields } from "../trigger/paramForm";
import styles from "./details.module.css";

const route = getRouteApi("/dags/$dagId/details");

export function DetailsPage() {
  const { dagId } = route.useParams();
  const dag = useQuery(dagQuery(dagId));
  return (
    <Answer query={useQuery(settingsQuery(dagId))} what={t("the settings")}>
      {(settings) => (
        <Answer query={dag} what={t("the DAG")}>
          {(found) => <Details dag={found} settings={settings} />}
        </Answer>
      )}
    </Answer>
  );
}

function Details({ dag, settings }: { dag: DagDetails; settings: DagSettings }) {
  return (
    <div className={styles.page}>
      {settings.error && (
        <p className="notice">
          <Sentence text={settings.error} spans={settings.spans[settings.error]} />
        </p>
      )}
      {settings.warnings.map((one) => (
        <p key={one} className="warn">
          <Sentence text={one} spans={settings.spans[one]} />
        </p>
      ))}
      {(dag.doc_md || dag.description) && (
        <Card id="documentation" title={t("Documentation")}>
          {dag.description && (
            <p data-description="">
              <LongText text={dag.description} />
            </p>
          )}
          {dag.doc_md && <LazyMarkdown text={dag.doc_md} />}
        </Card>
      )}
      <Part title={t("Schedule")}>
        <Row name={t("Schedule")}>
          <b>
            <Sentence {...settings.timetable.summary} />
          </b>{" "}
          {settings.timetable.description && <Sentence {...settings.timetable.description} />}
        </Row>
        <Row name={t("Runs have")}>
          <Sentence {...settings.timetable.family} />
        </Row>
        <Row name={t("Timetable")}>
          <code>{settings.timetable.path}</code>
          {Object.keys(settings.timetable.data).length > 0 && (
            <details>
              <summary>{t("its parameters")}</summary>
              <Json value={settings.timetable.data} />
            </details>
          )}
        </Row>
        {dag.asset_expression && (
          <Row name={t("Assets")}>
            <Json value={dag.asset_expression} />
          </Row>
        )}
        <Row name={t("Time zone")}>{dag.timezone}</Row>
        <Row name={t("Start date")}>
          <Time at={dag.start_date} />
        </Row>
        <Row name={t("End date")}>
          <Time at={dag.end_date} />
        </Row>
        <Row name={t("Next run")}>
          <Time at={dag.next_dagrun_run_after} />
          {dag.next_dagrun_data_interval_start &&
            dag.next_dagrun_data_interval_start !== dag.next_dagrun_data_interval_end && (
              <span className="soft">
                {" "}
                {t("for")}{" "}
                <Interval start={dag.next_dagrun_data_interval_start} end={dag.next_dagrun_data_interval_end} />
              </span>
            )}
        </Row>
        <Row name="catchup">
          {yesNo(dag.catchup)}
          {settings.catchup_window_s !== null &&
            ` (${t("at most {seconds} s back", { seconds: settings.catchup_window_s })})`}
        </Row>
        <Row name="misfire">
          <code>{settings.misfire}</code>
        </Row>
        <Row name="overlap">
          <code>{settings.overlap}</code>
        </Row>
        {settings.jitter_s > 0 && <Row name="jitter">{settings.jitter_s} s</Row>}
        <Row name={t("Dialect")}>
          <Sentence {...settings.dialect} />
        </Row>
      </Part>
      <Part title={t("Limits")}>
        {settings.limits.map((one) => (
          <Row key={one.name} name={one.name}>
            <b>{one.value ?? t("none")}</b> <span className="soft">{one.origin}</span>
            {!one.is_effective && <span className="soft"> ({t("a smaller limit holds before it")})</span>}
          </Row>
        ))}
      </Part>
      <Part title={t("Other DAGs")}>
        <Row name={t("Waits for")}>
          <DagLinks ids={settings.upstream_dags} />
        </Row>
        {settings.depends_on.length > 0 && (
          <Row name={t("Dependencies")}>
            <ul>
              {settings.depends_on.map((one) => (
                <li key={one}>{one}</li>
              ))}
            </ul>
          </Row>
        )}
        <Row name={t("Is waited for by")}>
          <DagLinks ids={settings.downstream_dags} />
        </Row>
      </Part>
      <Part title={t("Runs")}>
        <Row name={t("Types of runs allowed")}>{dag.allowed_run_types?.join(", ") ?? t("all")}</Row>
        <Row name="fail_fast">{yesNo(settings.fail_fast)}</Row>
        <Row name={t("Callbacks of its runs")}>{settings.callbacks.join(", ") || t("none")}</Row>
        {settings.listeners.length > 0 && <Row name={t("Listeners of plugins")}>{settings.listeners.join(", ")}</Row>}
        <Row name={t("Deadlines")}>{settings.deadlines || t("none")}</Row>
        <Row name={t("Alerts")}>{settings.alerts.join("; ") || t("none")}</Row>
        <Row name={t("Processes of its tasks")}>
          <Sentence {...settings.processes} />
        </Row>
        <Row name={t("Tasks")}>{settings.tasks}</Row>
        <Row name="render_template_as_native_obj">{yesNo(dag.render_template_as_native_obj)}</Row>
      </Part>
      <Part title={t("Params")}>
        <Params dag={dag} />
      </Part>
      <Part title={t("File and owners")}>
        <Row name={t("File")}>
          <span className="name">{dag.fileloc}</span>
        </Row>
        <Row name={t("Bundle")}>
          {dag.bundle_name ?? t("none")}
          {dag.bundle_version && ` ${dag.bundle_version}`}
        </Row>
        <Row name={t("Version")}>
          {dag.latest_dag_version ? (
            <>
              <Link to="/dags/$dagId/code" params={{ dagId: dag.dag_id }} search={{}}>
                {dag.latest_dag_version.version_number}
              </Link>
              , <Time at={dag.latest_dag_version.created_at} />
            </>
          ) : (
            t("none")
          )}
        </Row>
        <Row name={t("Last parsed")}>
          <Time at={dag.last_parsed_time} />
          {dag.last_parse_duration !== null && ` (${formatDuration(dag.last_parse_duration ?? null)})`}
        </Row>
        <Row name={t("Tags")}>
          {dag.tags.length === 0
            ? t("none")
            : dag.tags.map((tag) => (
                <Link key={tag.name} className="tag badge name" to="/dags" search={{ tag: [tag.name] }}>
                  {tag.name}
                </Link>
              ))}
        </Row>
        <Row name={t("Owners")}>
          {dag.owners.length === 0
            ? t("none")
            : dag.owners.map((owner, at) => (
                <span key={owner}>
                  {at > 0 && ", "}
                  <Owner name={owner} link={dag.owner_links?.[owner]} />
                </span>
              ))}
        </Row>
        <Row name={t("Paused at creation")}>
          {dag.is_paused_upon_creation === null ? t("as the option says") : yesNo(dag.is_paused_upon_creation)}
        </Row>
        {dag.default_args && (
          <Row name="default_args">
            <Json value={dag.default_args} />
          </Row>
        )}
      </Part>
    </div>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card title={title}>
      <dl>{children}</dl>
    </Card>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Json({ value }: { value: unknown }) {
  return <JsonTree value={value} />;
}

function DagLinks({ ids }: { ids: string[] }) {
  if (ids.length === 0) return t("none");
  return ids.map((dagId, at) => (
    <span key={dagId}>
      {at > 0 && ", "}
      <Link className="name" to="/dags/$dagId" params={{ dagId }} search={{}}>
        {dagId}
      </Link>
    </span>
  ));
}

/** The owner with its link, if that leads to a page or a mail address. */
function Owner({ name, link }: { name: string; link: string | undefined }) {
  return link && /^(https?:\/\/|mailto:)/i.test(link) ? (
    <a className="name" href={link} rel="noreferrer noopener">
      {cutText(name)}
    </a>
  ) : (
    <LongText text={name} className="name" />
  );
}

function Params({ dag }: { dag: DagDetails }) {
  const fields = buildFields(dag.params ?? {});
  if (fields.length === 0) return <Row name={t("Params")}>{t("none")}</Row>;
  return fields.map((field) => (
    <Row key={field.name} name={field.name}>
      <Value text={field.isRequired ? t("(needed)") : (JSON.stringify(field.initial) ?? "")} />{" "}
      {field.description && <LongText text={field.description} />}
      {Object.keys(field.schema).length > 0 && (
        <details>
          <summary>{t("schema")}</summary>
          <Json value={field.schema} />
        </details>
      )}
    </Row>
  ));
}

function yesNo(value: boolean): string {
  return value ? t("yes") : t("no");
}
