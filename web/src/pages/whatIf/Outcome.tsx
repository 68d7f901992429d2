/** The answer of a simulation: a sentence, the picture, what is promised, pools, the table. */

import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { SimulationAnswer } from "../../api/simulations";
import { useNow } from "../../components/Ago";
import { SentenceList } from "../../components/Sentences";
import type { TimeMark } from "../../components/timeChart/timeSpan";
import { t, tn } from "../../state/language";
import { useZone } from "../../state/times";
import { Segments } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { CheckIcon } from "../../ui/icons";
import { Toolbar } from "../../ui/PageHeader";
import { Popover } from "../../ui/Popover";
import { SearchBox } from "../../ui/SearchBox";
import type { BaselineLevel } from "../../api/baselines";
import { LEVELS } from "../baselines/baselineLevels";
import { OutcomeChart } from "./OutcomeChart";
import { countChanges, findGreatestShift, findSpan, listBars, sortChanged } from "./outcomeRows";
import { countChange, describeShift } from "./outcomeWords";
import { PoolLoads } from "./PoolLoads";
import { isSame, Promises } from "./Promises";
import { RunTable } from "./RunTable";
import type { WhatIfView } from "./whatIfView";
import styles from "./whatIf.module.css";

const route = getRouteApi("/what-if");

export function Outcome({ answer }: { answer: SimulationAnswer }) {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: WhatIfView) =>
    void navigate({ to: "/what-if", search: { ...view, ...some }, replace: true, resetScroll: false });
  const now = useNow();
  const bars = useMemo(() => listBars(answer.runs), [answer.runs]);
  const changed = useMemo(() => sortChanged(answer.runs), [answer.runs]);
  const span = useMemo(() => findSpan(bars, answer), [bars, answer]);
  const words = view.search?.toLowerCase() ?? "";
  const shown = useMemo(
    () =>
      bars.filter(
        ({ run, tone }) => (view.runs === "all" || tone !== "same") && run.dag_id.toLowerCase().includes(words),
      ),
    [bars, view.runs, words],
  );
  const marks: TimeMark[] = answer.baselines.map(({ name, due_at, level_after: level }) => ({
    at: Date.parse(due_at),
    label: name,
    tone: level === null ? "due" : LEVELS[level as BaselineLevel].tone,
  }));
  return (
    <>
      <Summary answer={answer} />
      <Toolbar label={t("What is shown")}>
        <Segments
          label={t("Runs")}
          value={view.runs ?? "changed"}
          options={[
            { value: "changed", label: t("Different ones") },
            { value: "all", label: t("All") },
          ]}
          choose={(runs) => set({ runs: runs === "all" ? "all" : undefined })}
        />
        <SearchBox
          label={t("DAG")}
          placeholder={t("part of its name")}
          value={view.search}
          onChange={(search) => set({ search })}
        />
        <Notes
          label={tn("{count} note", "{count} notes", answer.notes.length)}
          texts={answer.notes}
          spans={answer.spans}
        />
        <Notes
          label={tn("{count} assumption", "{count} assumptions", answer.assumptions.length)}
          texts={answer.assumptions}
          spans={answer.spans}
        />
      </Toolbar>
      {shown.length > 0 ? (
        <div className={styles.picture}>
          <OutcomeChart bars={shown} span={span} marks={marks} now={now} spans={answer.spans} />
        </div>
      ) : (
        <EmptyState
          icon={CheckIcon}
          title={changed.length === 0 ? t("No run is different.") : t("No run fits these filters.")}
        />
      )}
      {answer.omitted_runs > 0 && (
        <p className="soft">
          {tn("{count} more run is left out.", "{count} more runs are left out.", answer.omitted_runs)}
        </p>
      )}
      <Promises answer={answer} />
      <PoolLoads pools={answer.pools} span={span} />
      <RunTable runs={changed.filter(({ dag_id }) => dag_id.toLowerCase().includes(words))} spans={answer.spans} />
    </>
  );
}

interface NotesProps {
  label: string;
  texts: readonly string[];
  spans: SimulationAnswer["spans"];
}

function Notes({ label, texts, spans }: NotesProps) {
  if (texts.length === 0) return null;
  return (
    <Popover label={label}>
      <SentenceList className={styles.notes} sentences={texts.map((text) => ({ text, spans: spans[text] }))} />
    </Popover>
  );
}

/** How many runs differ and how, the greatest shift, and the baselines that stand differently. */
function Summary({ answer }: { answer: SimulationAnswer }) {
  const zone = useZone();
  const now = useNow();
  const counts = countChanges(answer.runs);
  const shift = findGreatestShift(answer.runs);
  const moved = answer.baselines.filter((baseline) => !isSame(baseline));
  const broken = answer.expectations.filter((one) => one.broken_after > one.broken_before);
  return (
    <div className={styles.summary} role="status">
      <p className={styles.headline}>
        {counts.length === 0
          ? t("Nothing changes: all runs are as they would be.")
          : t("{changes}.", {
              changes: counts.map(([change, count]) => countChange(change, count)).join(t(", |list")),
            })}
        {shift && <> {t("{change}.", { change: describeShift(shift, zone, now) })}</>}
      </p>
      {(moved.length > 0 || broken.length > 0) && (
        <ul className={styles.verdicts}>
          {moved.map(({ name, due_at, level_after: level }) => (
            <li key={`${name} ${due_at}`} className={level === null ? undefined : LEVELS[level as BaselineLevel].tone}>
              {level === null
                ? t("Baseline {name} would have no run.", { name })
                : t("Baseline {name}: {level}.", { name, level: t(LEVELS[level as BaselineLevel].words) })}
            </li>
          ))}
          {broken.map(({ text }) => (
            <li key={text} className="bad">
              {t("It would not hold: {text}.", { text })}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
