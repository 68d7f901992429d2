/** What deferred tasks wait for, which triggerer runs it, and which trigger has blocked the others. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type TriggerWait, type Triggers, triggersQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { DagLink, PlaceLinks } from "../../components/Names";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { ClockIcon } from "../../ui/icons";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { Pill } from "../../ui/Pill";
import { SearchBox } from "../../ui/SearchBox";
import styles from "./triggers.module.css";

const KINDS: Record<string, string> = {
  trigger: /* text */ "trigger",
  timer: /* text */ "timer of the scheduler",
  question: /* text */ "question to a person",
};
const route = getRouteApi("/triggers");

export function TriggersPage() {
  const { dag, after } = route.useSearch();
  const navigate = useNavigate();
  return (
    <>
      <PageHeader
        title={t("Triggers")}
        facts={
          <span>
            {t("Deferred tasks hold no process. A triggerer runs their triggers; the scheduler keeps their timers.")}
          </span>
        }
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("DAG id")}
          value={dag}
          onChange={(text) => void navigate({ to: "/triggers", search: { dag: text }, replace: true })}
        />
      </Toolbar>
      <Answer query={useQuery(triggersQuery(dag, after))} what={t("the triggers")}>
        {(found) => (
          <>
            <Faults faults={found.faults} />
            {found.waits.length === 0 ? (
              <EmptyState icon={ClockIcon} title={t("No task is deferred.")}>
                {t("A task that waits for something outside frees its slot and stands here until its trigger fires.")}
              </EmptyState>
            ) : (
              <StackTable
                label={t("Deferred tasks")}
                headings={[t("Task"), t("Waits for"), t("Arguments"), t("Triggerer"), t("Since"), t("Until")]}
              >
                {found.waits.map((one) => (
                  <WaitRow key={one.number} one={one} />
                ))}
              </StackTable>
            )}
            <Triggerers rows={found.triggerers} />
            <nav className="acts" aria-label={t("Pages of the list")}>
              {after !== undefined && (
                <Button onClick={() => void navigate({ to: "/triggers", search: { dag } })}>{t("First page")}</Button>
              )}
              {found.next !== null && (
                <Button
                  onClick={() => void navigate({ to: "/triggers", search: { dag, after: found.next ?? undefined } })}
                >
                  {t("Next")}
                </Button>
              )}
            </nav>
          </>
        )}
      </Answer>
    </>
  );
}

function WaitRow({ one }: { one: TriggerWait }) {
  return (
    <tr>
      <td>
        <PlaceLinks dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />
      </td>
      <td>
        {t(KINDS[one.kind] ?? one.kind)}
        {one.kind === "question" ? (
          <Link className="block" to="/inbox" search={{}}>
            {t("to the questions")}
          </Link>
        ) : (
          <span className={`soft block name ${styles.class}`}>{one.classpath}</span>
        )}
      </td>
      <td>{one.arguments ? <Value text={one.arguments} /> : <span className="soft none">–</span>}</td>
      <td>
        {describePlace(one)}
        {one.queue && <span className="soft block">{t("queue {queue}", { queue: one.queue })}</span>}
      </td>
      <td>
        <Time at={one.since} />
      </td>
      <td>
        <Time at={one.due_at ?? one.timeout_at} />
        {one.timeout_at && !one.due_at && <span className="soft block">{t("then it fails")}</span>}
      </td>
    </tr>
  );
}

function describePlace(one: TriggerWait): string {
  if (one.is_over) return t("its event has come: the task continues");
  if (one.kind !== "trigger") return t("none is needed");
  if (one.triggerer) return one.triggerer;
  return one.is_paused ? t("none: the DAG is paused") : t("none has claimed it yet");
}

function Triggerers({ rows }: { rows: Triggers["triggerers"] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{t("Triggerers")}</h2>
      <ul className="cards">
        {rows.map((one) => (
          <li key={one.id}>
            <b className="name">{one.id}</b>
            <span>
              <Pill tone={one.alive ? "good" : "bad"}>{one.alive ? t("alive") : t("no heartbeat")}</Pill>
            </span>
            <span>{t("{running} of {capacity} triggers run", { running: one.running, capacity: one.capacity })}</span>
            <span className="soft">
              {t("{succeeded} succeeded, {failed} failed", { succeeded: one.succeeded, failed: one.failed })}
            </span>
            {one.blocked_now.map((name) => (
              <b key={name} className="bad">
                {t("blocked now by {name}: no other trigger of it runs", { name })}
              </b>
            ))}
            {one.blocks > 0 && (
              <span className="bad">
                {tn(
                  "blocked {count} time, most often by {name}",
                  "blocked {count} times, most often by {name}",
                  one.blocks,
                  { name: Object.keys(one.blocks_by_class)[0] ?? "?" },
                )}
              </span>
            )}
            <span className="soft">
              {one.host}, {t("last heartbeat")} <Time at={one.beat_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Faults({ faults }: { faults: Triggers["faults"] }) {
  if (faults.length === 0) return null;
  return (
    <section className="notice" aria-label={t("Triggers that held up others")}>
      <h2>{t("Triggers that held up others, in the last seven days")}</h2>
      {faults.map((one, at) => (
        <details key={at}>
          <summary>
            <Time at={one.at} /> <b className="name">{one.classpath}</b>{" "}
            {one.kind === "trigger_blocked"
              ? t("blocked the event loop of all triggers")
              : t("did not end when it was cancelled")}
          </summary>
          <p>
            {one.dag_id && one.run_id && one.task_id ? (
              <PlaceLinks dagId={one.dag_id} runId={one.run_id} taskId={one.task_id} mapIndex={one.map_index} />
            ) : (
              one.dag_id && <DagLink dagId={one.dag_id} />
            )}
          </p>
          <pre className="stack" tabIndex={0}>
            {one.text}
          </pre>
          {one.kind === "trigger_blocked" && (
            <p className="hint">{t("Use `await` in the trigger, or asyncio.to_thread for code that blocks.")}</p>
          )}
        </details>
      ))}
    </section>
  );
}
