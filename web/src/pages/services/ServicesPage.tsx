/** The problems of the installation with their remedies, and the health and figures of each service. */

import { useQuery } from "@tanstack/react-query";
import { servicesQuery } from "../../api/queries";
import type { Services } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { FIGURES, formatFigure, splitCode } from "./figures";

const PARTS: Record<string, string> = {
  metadatabase: /* text */ "Database",
  scheduler: /* text */ "Scheduler",
  worker: /* text */ "Worker",
  triggerer: /* text */ "Triggerer",
  dag_processor: /* text */ "DAG processor",
  monitor: /* text */ "Monitor",
};

export function ServicesPage() {
  return (
    <>
      <h1>{t("Services and problems")}</h1>
      <Answer query={useQuery(servicesQuery())} what={t("the services")}>
        {(found) => (
          <>
            {found.problems.length === 0 ? (
              <p className="good">{t("No problem is known.")}</p>
            ) : (
              found.problems.map((one) => (
                <p key={one} className="notice name">
                  <WithCode text={one} />
                </p>
              ))
            )}
            <h2>{t("Parts")}</h2>
            <ul className="cards">
              {found.parts.map((one) => (
                <li key={one.name}>
                  <b>{t(PARTS[one.name] ?? one.name)}</b>
                  <span className={one.status === "healthy" ? "good" : one.status ? "bad" : "soft"}>
                    {one.status === "healthy"
                      ? t("healthy")
                      : one.status
                        ? t("unhealthy")
                        : t(one.name === "triggerer" ? /* text */ "not needed so far" : /* text */ "not running")}
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
            <p>
              <a href="/services/plain">{t("The same without a script")}</a>
            </p>
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
        <span className="soft block name">{one.id}</span>
      </td>
      <td className={one.alive ? "good" : "bad"}>{one.alive ? t("alive") : t("no heartbeat")}</td>
      <td>
        <span className="name">{one.host}</span>
      </td>
      <td>{one.version ?? <span className="soft">–</span>}</td>
      <td>
        <Time at={one.beat_at} />
      </td>
      <td>
        {one.groups !== null && one.groups !== undefined && (
          <span className="block">{t("{count} of 64 groups of DAGs", { count: one.groups })}</span>
        )}
        {(one.queues ?? []).length > 0 && (
          <span className="block">{t("queues: {names}", { names: (one.queues ?? []).join(", ") })}</span>
        )}
        {one.slots !== null && one.slots !== undefined && (
          <span className="block">{t("slots: {count}", { count: one.slots })}</span>
        )}
        {one.used_by && (
          <span className={one.used_by.length ? "block name" : "block soft"}>
            {one.used_by.length
              ? t("used by schedulers on {hosts}", { hosts: one.used_by.join(", ") })
              : t("used by no scheduler")}
          </span>
        )}
        {shown.map(([name, label, unit]) => (
          <span key={name} className="block">
            <span className="soft">{t(label)}</span> {formatFigure(one.figures?.[name] ?? 0, unit)}
          </span>
        ))}
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
