/** The problems of the installation with their remedies, and the health and figures of each service. */

import { useQuery } from "@tanstack/react-query";
import { servicesQuery } from "../../api/queries";
import type { Services } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import { WarningIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { FIGURES, formatFigure, splitCode } from "./figures";
import styles from "./services.module.css";

const PARTS: Record<string, string> = {
  metadatabase: /* text */ "Database",
  scheduler: /* text */ "Scheduler",
  worker: /* text */ "Worker",
  triggerer: /* text */ "Triggerer",
  dag_processor: /* text */ "DAG processor",
  monitor: /* text */ "Monitor",
};

export function ServicesPage() {
  const query = useQuery(servicesQuery());
  return (
    <>
      <PageHeader
        title={t("Services and problems")}
        state={
          query.data && (
            <Pill tone={query.data.problems.length === 0 ? "good" : "bad"}>
              {query.data.problems.length === 0
                ? t("No problem is known.")
                : tn("{count} problem", "{count} problems", query.data.problems.length)}
            </Pill>
          )
        }
        facts={
          <>
            {query.data && (
              <span>
                {tn(
                  "{count} process is alive",
                  "{count} processes are alive",
                  query.data.services.filter((one) => one.alive).length,
                )}
              </span>
            )}
            <a href="/services/plain">{t("The same without a script")}</a>
          </>
        }
      />
      <Answer query={query} what={t("the services")}>
        {(found) => (
          <>
            {found.problems.length > 0 && (
              <ul className={`notice ${styles.problems}`} aria-label={t("Problems")}>
                {found.problems.map((one) => (
                  <li key={one} className="name">
                    <WarningIcon size={16} aria-hidden="true" />
                    <span>
                      <WithCode text={one} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
            <ul className="cards" aria-label={t("Parts")}>
              {found.parts.map((one) => (
                <li key={one.name}>
                  <span className={styles.part}>
                    <b>{t(PARTS[one.name] ?? one.name)}</b>
                    <Pill tone={one.status === "healthy" ? "good" : one.status ? "bad" : "neutral"}>
                      {one.status === "healthy"
                        ? t("healthy")
                        : one.status
                          ? t("unhealthy")
                          : t(one.name === "triggerer" ? /* text */ "not needed so far" : /* text */ "not running")}
                    </Pill>
                  </span>
                  {one.note && <span className="soft">{one.note}</span>}
                </li>
              ))}
            </ul>
            <h2>{t("Processes")}</h2>
            <StackTable
              label={t("Processes")}
              headings={[t("Service"), t("State"), t("Host"), t("Version"), t("Last heartbeat"), t("Figures")]}
            >
              {found.services.map((one) => (
                <Row key={`${one.service} ${one.id}`} one={one} />
              ))}
            </StackTable>
          </>
        )}
      </Answer>
    </>
  );
}

function Row({ one }: { one: Services["services"][number] }) {
  const shown = FIGURES.filter(([name]) => name in (one.figures ?? {}));
  return (
    <tr>
      <td>
        <b>{one.service}</b>
        <span className={`soft block ${styles.id}`} title={one.id}>
          {one.id}
        </span>
      </td>
      <td>
        <Pill tone={one.alive ? "good" : "bad"}>{one.alive ? t("alive") : t("no heartbeat")}</Pill>
      </td>
      <td>
        <span className="name">{one.host}</span>
      </td>
      <td>{one.version ?? <span className="soft none">–</span>}</td>
      <td>
        <Time at={one.beat_at} />
      </td>
      <td>
        <span className={styles.figures}>
          {one.groups !== null && one.groups !== undefined && (
            <span>{t("{count} of 64 groups of DAGs", { count: one.groups })}</span>
          )}
          {(one.queues ?? []).length > 0 && (
            <span>{t("queues: {names}", { names: (one.queues ?? []).join(", ") })}</span>
          )}
          {one.slots !== null && one.slots !== undefined && <span>{t("slots: {count}", { count: one.slots })}</span>}
          {one.used_by && (
            <span className={one.used_by.length ? "name" : "soft"}>
              {one.used_by.length
                ? t("used by schedulers on {hosts}", { hosts: one.used_by.join(", ") })
                : t("used by no scheduler")}
            </span>
          )}
          {shown.map(([name, label, unit]) => (
            <span key={name}>
              <span className="soft">{t(label)}</span> {formatFigure(one.figures?.[name] ?? 0, unit)}
            </span>
          ))}
        </span>
      </td>
    </tr>
  );
}

/** A sentence of the server, with what is in back quotes as code. */
function WithCode({ text }: { text: string }) {
  return splitCode(text).map((one, at) =>
    one.isCode ? <code key={at}>{one.text}</code> : <span key={at}>{one.text}</span>,
  );
}
