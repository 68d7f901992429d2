/** The coming runs of a DAG, and the slots that get none, each with its reason. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { nextRunsQuery } from "../../api/queries";
import type { NextRuns as Forecast } from "../../api/shapes";
import { Ago } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { Interval } from "../../components/Interval";
import { Sentence } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import { Button } from "../../ui/Button";
import { Pill } from "../../ui/Pill";
import { SlotReason } from "./calendar/DayPanel";
import { TimeInput } from "./trigger/TimeInput";
import styles from "./nextRuns.module.css";

const SHOWN_FIRST = 5;
const STATES: Record<string, string> = {
  now: /* text */ "starts now",
  held: /* text */ "held",
  taken: /* text */ "taken",
};

export function NextRuns({ dagId }: { dagId: string }) {
  return (
    <section aria-labelledby="next-runs">
      <h2 id="next-runs">{t("Next runs")}</h2>
      <Answer query={useQuery(nextRunsQuery(dagId))} what={t("the next runs")}>
        {(next) => <Coming next={next} />}
      </Answer>
      <SlotQuestion dagId={dagId} />
    </section>
  );
}

function Coming({ next }: { next: Forecast }) {
  const [whole, setWhole] = useState(false);
  const runs = whole ? next.next_runs : next.next_runs.slice(0, SHOWN_FIRST);
  return (
    <>
      {next.blocked && (
        <p className="notice">
          <Sentence text={next.blocked} spans={next.spans[next.blocked]} />
        </p>
      )}
      {next.notes.map((note) => (
        <p key={note} className="soft">
          <Sentence text={note} spans={next.spans[note]} />
        </p>
      ))}
      {runs.length > 0 && (
        <ol className={styles.runs} aria-label={t("Coming runs")}>
          {runs.map((one) => (
            <ComingRun key={one.run_id} run={one} spans={next.spans} />
          ))}
        </ol>
      )}
      {next.next_runs.length > SHOWN_FIRST && !whole && (
        <Button look="quiet" isSmall onClick={() => setWhole(true)}>
          {t("More runs")}
        </Button>
      )}
      {next.skipped.length > 0 && (
        <ul className="lines" aria-label={t("Slots without a run")}>
          {next.skipped.map((one) => (
            <li key={`${one.first} ${one.reason}`}>
              <Time at={one.first} />: {tn("{count} slot has no run", "{count} slots have no run", one.count)},{" "}
              {one.reason}
            </li>
          ))}
        </ul>
      )}
      {next.dropped.length > 0 && (
        <p className="soft">
          {t("Runs of the previous schedule that will not be created:")}{" "}
          {next.dropped.map((at) => (
            <span key={at}>
              <Time at={at} />{" "}
            </span>
          ))}
        </p>
      )}
    </>
  );
}

/** One line: when, in how long, for which data, and why it is not made at its time where it is not. */
function ComingRun({ run, spans }: { run: Forecast["next_runs"][number]; spans: Forecast["spans"] }) {
  const isPlain =
    run.state === "planned" && (run.made_at === null || Date.parse(run.made_at) === Date.parse(run.run_after));
  const hasInterval = run.data_interval_start !== run.data_interval_end;
  return (
    <li>
      <b>
        <Time at={run.run_after} />
      </b>
      <span className="soft">
        <Ago at={run.run_after} />
      </span>
      {hasInterval && (
        <span className="soft">
          {t("for")} <Interval start={run.data_interval_start} end={run.data_interval_end} />
        </span>
      )}
      {run.state !== "planned" && <Pill tone="warn">{t(STATES[run.state] ?? run.state)}</Pill>}
      {!isPlain && (
        <span className="soft">
          <Sentence text={run.why} spans={spans[run.why]} />
        </span>
      )}
    </li>
  );
}

/** Why a slot of any time, past or to come, has no run. */
function SlotQuestion({ dagId }: { dagId: string }) {
  const [at, setAt] = useState("");
  return (
    <details>
      <summary>{t("Why has a slot no run?")}</summary>
      <TimeInput label={t("Logical date or due time of the slot")} at={at} set={setAt} />
      {at.endsWith("Z") && <SlotReason key={at} dagId={dagId} at={at} />}
    </details>
  );
}
