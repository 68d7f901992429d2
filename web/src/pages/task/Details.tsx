/** The facts of a task instance, and the links of its operator. */

import { useQuery } from "@tanstack/react-query";
import type { InstancePlace } from "../../api/places";
import { wholeInstanceQuery } from "../../api/queries";
import { linksQuery, taskSpecQuery } from "../../api/runs";
import type { TaskInstance } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { JsonTree } from "../../components/JsonTree";
import { LazyMarkdown } from "../../components/LazyMarkdown";
import { Time } from "../../components/Time";
import { VersionLink } from "../../components/VersionLink";
import { t } from "../../state/language";
import styles from "./instance.module.css";

export function Details({ at, one }: { at: InstancePlace; one: TaskInstance }) {
  const texts: [string, string | number | null | undefined][] = [
    [t("Operator"), one.operator],
    [t("Pool"), `${one.pool} (${one.pool_slots})`],
    [t("Queue"), one.queue],
    [t("Priority"), one.priority_weight],
    [t("Worker"), one.hostname],
    [t("Process"), one.pid],
    [t("Executor"), one.executor],
    [t("Map index"), one.map_index < 0 ? null : (one.rendered_map_index ?? one.map_index)],
  ];
  return (
    <>
      <dl className="facts">
        {texts.map(
          ([name, value]) =>
            value !== null &&
            value !== undefined &&
            value !== "" && (
              <div key={name}>
                <dt>{name}</dt>
                <dd className="name">{value}</dd>
              </div>
            ),
        )}
        {one.dag_version && (
          <div>
            <dt>{t("Version")}</dt>
            <dd>
              <VersionLink dagId={at.dagId} version={one.dag_version.version_number} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t("Scheduled")}</dt>
          <dd>
            <Time at={one.scheduled_when} />
          </dd>
        </div>
        <div>
          <dt>{t("Queued")}</dt>
          <dd>
            <Time at={one.queued_when} />
          </dd>
        </div>
      </dl>
      <Documentation at={at} />
      <RenderedFields fields={useQuery(wholeInstanceQuery(at)).data?.rendered_fields} />
      <Answer query={useQuery(linksQuery(at))} what={t("the links")}>
        {(found) => (
          <ul className="lines">
            {Object.entries(found.extra_links).map(([name, url]) => (
              <li key={name}>
                {isSafe(url) ? (
                  <a href={url ?? ""} rel="noreferrer noopener" target="_blank">
                    {name}
                  </a>
                ) : (
                  <>
                    <b>{name}</b>: <span className="name">{url ?? t("no address")}</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </>
  );
}

/** What the author has written about the task. */
function Documentation({ at }: { at: InstancePlace }) {
  const text = useQuery(taskSpecQuery(at)).data?.doc_md;
  return text ? (
    <>
      <h2>{t("Documentation")}</h2>
      <LazyMarkdown text={text} />
    </>
  ) : null;
}

/** The template fields as the last attempt that ended has rendered them: a text as it is, other values as trees. */
function RenderedFields({ fields }: { fields: TaskInstance["rendered_fields"] | undefined }) {
  const found = Object.entries(fields ?? {});
  if (found.length === 0) return null;
  return (
    <>
      <h2>{t("Rendered templates")}</h2>
      {found.map(([name, value]) => (
        <details className={styles.xcom} key={name} open>
          <summary>
            <b className="name">{name}</b>
          </summary>
          {typeof value === "string" ? (
            <pre className="name" tabIndex={0}>
              {value}
            </pre>
          ) : (
            <JsonTree value={value} />
          )}
        </details>
      ))}
    </>
  );
}

/** Whether the address leads to a page: an author may write anything. */
function isSafe(url: string | null | undefined): boolean {
  try {
    return ["http:", "https:"].includes(new URL(url ?? "", window.location.origin).protocol);
  } catch {
    return false;
  }
}
