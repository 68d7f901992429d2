/** The coming runs of a DAG, and the slots that get none, each with its reason. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { nextRunsQuery } from "../../api/queries";
import type { NextRuns as Forecast } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { Interval } from "../../components/Interval";
import { Sentence } from "../../components/Sentences";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t, tn } from "../../state/language";
import { SlotReason } from "./calendar/DayPanel";
import { TimeInput } from "./trigger/TimeInput";

const SHOWN_FIRST = 5;
const STATES: Record<string, string> = {
  planned: /* text */ "planned",
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
        <StackTable label={t("Coming runs")} headings={[t("Runs after"), t("Data interval"), t("State"), t("Why")]}>
          {runs.map((one) => (
            <tr key={one.run_id}>
              <td>
                <Time at={one.run_after} />
              </td>
              <td>
                <Interval start={one.data_interval_start} end={one.data_interval_end} />
              </td>
              <td>{t(STATES[one.state] ?? one.state)}</td>
              <td>
                <Sentence text={one.why} spans={next.spans[one.why]} />
              </td>
            </tr>
          ))}
        </StackTable>
      )}
      {next.next_runs.length > SHOWN_FIRST && !whole && (
        <button type="button" className="plain" onClick={() => setWhole(true)}>
          {t("More runs")}
        </button>
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
