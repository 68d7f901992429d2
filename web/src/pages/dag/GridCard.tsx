/** The card beside what the pointer rests on in the grid: one for the whole grid, since its cells come and go while one scrolls. */

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { InstancePlace } from "../../api/places";
import { instanceQuery, taskExplanationQuery } from "../../api/queries";
import type { Grid as GridData } from "../../api/shapes";
import { PlainLink } from "../../components/PlainLink";
import { Sentence } from "../../components/Sentences";
import { StateBadge, typeName } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { listHref, runHref, taskHref } from "../../state/addresses";
import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { formatDuration } from "../../state/times";
import { FAILED_STATES } from "./cellStates";
import { type GridRow, readRow } from "./gridRows";
import type { PlannedRun } from "./GridHead";
import styles from "./gridCard.module.css";

const REST_MS = 300;
/** Once a card is open, the next one follows the pointer. */
const NEXT_MS = 60;
/** The way from the cell to its card. */
const LEAVE_MS = 200;
const GAP_PX = 6;

/** What a card is about. */
export type CardPlace =
  | { kind: "cell"; row: GridRow; column: number }
  | { kind: "run"; column: number }
  | { kind: "planned"; run: PlannedRun };

export interface CardHandle {
  /** Undefined: the pointer has left. */
  point: (place: CardPlace | undefined, target?: Element) => void;
  hide: () => void;
}

interface Shown {
  place: CardPlace;
  box: DOMRect;
}

export function GridCard({
  grid,
  names,
  ref,
}: {
  grid: GridData;
  names: readonly string[];
  ref: Ref<CardHandle | null>;
}) {
  const [shown, setShown] = useState<Shown>();
  const timer = useRef<number>(undefined);
  const isOpen = useRef(false);
  const wait = (act: () => void, ms: number) => {
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(act, ms);
  };
  const hide = () => {
    window.clearTimeout(timer.current);
    isOpen.current = false;
    setShown(undefined);
  };
  useImperativeHandle(ref, () => ({
    hide,
    point: (place, target) => {
      if (!place || !target) wait(hide, LEAVE_MS);
      else
        wait(
          () => {
            isOpen.current = true;
            setShown({ place, box: target.getBoundingClientRect() });
          },
          isOpen.current ? NEXT_MS : REST_MS,
        );
    },
  }));
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    document.addEventListener("keydown", press);
    return () => {
      document.removeEventListener("keydown", press);
      window.clearTimeout(timer.current);
    };
  }, []);
  if (!shown) return null;
  const { place, box } = shown;
  const isLow = box.bottom > window.innerHeight * 0.6;
  const isRight = box.left > window.innerWidth * 0.6;
  return (
    <div
      className={styles.card}
      data-grid-card=""
      style={{
        ...(isLow ? { bottom: window.innerHeight - box.top + GAP_PX } : { top: box.bottom + GAP_PX }),
        ...(isRight ? { right: window.innerWidth - box.right } : { left: box.left }),
      }}
      onMouseEnter={() => window.clearTimeout(timer.current)}
      onMouseLeave={() => wait(hide, LEAVE_MS)}
      onClick={hide}
    >
      {place.kind === "cell" && <CellCard grid={grid} place={place} name={names[place.column] ?? ""} />}
      {place.kind === "run" && <RunCard grid={grid} column={place.column} name={names[place.column] ?? ""} />}
      {place.kind === "planned" && <PlannedCard run={place.run} />}
    </div>
  );
}

function CellCard({ grid, place, name }: { grid: GridData; place: CardPlace & { kind: "cell" }; name: string }) {
  const { row, column } = place;
  const counts = readRow(grid, row, column);
  const run = grid.runs[column];
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  if (!run) return null;
  const isGroup = row.isFolded !== undefined;
  return (
    <>
      <p className={styles.title}>{row.id}</p>
      <p className="soft">{name}</p>
      {total === 0 ? (
        <p className="soft">{t("no instance")}</p>
      ) : total === 1 && !isGroup ? (
        <Instance
          at={{ dagId: grid.dag_id, runId: run.run_id, taskId: row.id, mapIndex: -1 }}
          state={counts[0]?.[0] ?? null}
        />
      ) : (
        <p className={styles.states}>
          {counts.map(([state, count]) => (
            <span key={state ?? "none"}>
              {formatCount(count)} <StateBadge state={state} />
            </span>
          ))}
        </p>
      )}
      {!isGroup && total > 0 && (
        <p className={styles.links}>
          <PlainLink href={taskHref(grid.dag_id, run.run_id, row.id)}>{t("Whole page")}</PlainLink>
          <PlainLink href={listHref("/tasks", { dag_id: grid.dag_id, task: row.id })}>
            {t("This task in all runs")}
          </PlainLink>
        </p>
      )}
    </>
  );
}

interface InstanceProps {
  at: InstancePlace;
  state: string | null;
}

/** What the pointer rests on costs one request: of an instance that failed the sentence with the error, the try and the end; of any other its times. */
function Instance({ at, state }: InstanceProps) {
  return FAILED_STATES.has(state) ? <Failed at={at} state={state} /> : <Times at={at} state={state} />;
}

function Failed({ at, state }: InstanceProps) {
  const why = useQuery({ ...taskExplanationQuery(at), retry: false }).data?.coded[0];
  return (
    <>
      <p className={styles.states}>
        <StateBadge state={state} />
      </p>
      {why && (
        <p className={styles.why}>
          <Sentence text={why.text} spans={why.spans} />
        </p>
      )}
    </>
  );
}

function Times({ at, state }: InstanceProps) {
  const one = useQuery({ ...instanceQuery(at), retry: false }).data;
  return (
    <Facts
      state={state}
      start={one?.start_date ?? null}
      end={one?.end_date ?? null}
      duration={one?.duration ?? null}
      note={
        one && (one.max_tries ?? 0) > 0
          ? t("try {number} of at most {most}", { number: one.try_number, most: (one.max_tries ?? 0) + 1 })
          : undefined
      }
    />
  );
}

function RunCard({ grid, column, name }: { grid: GridData; column: number; name: string }) {
  const run = grid.runs[column];
  if (!run) return null;
  const duration =
    run.start_date && run.end_date ? (Date.parse(run.end_date) - Date.parse(run.start_date)) / 1000 : null;
  return (
    <>
      <p className={styles.title}>{name}</p>
      <Facts
        state={run.state}
        start={run.start_date}
        end={run.end_date}
        duration={duration}
        note={t("{type} run", { type: typeName(run.run_type) })}
      >
        <dt>{t("due")}</dt>
        <dd>
          <Time at={run.run_after} />
        </dd>
        {run.version !== null && (
          <>
            <dt>{t("Version")}</dt>
            <dd>{run.version}</dd>
          </>
        )}
      </Facts>
      <p className={styles.links}>
        <PlainLink href={runHref(grid.dag_id, run.run_id)}>{t("Whole page")}</PlainLink>
      </p>
    </>
  );
}

function PlannedCard({ run }: { run: PlannedRun }) {
  return (
    <>
      <p className={styles.title}>{t("planned")}</p>
      <dl>
        <dt>{t("Runs after")}</dt>
        <dd>
          <Time at={run.run_after} />
        </dd>
      </dl>
      {run.state !== "planned" && <p className="soft">{run.why}</p>}
    </>
  );
}

interface FactsProps {
  state: string | null;
  start: string | null;
  end: string | null;
  duration: number | null;
  note: string | undefined;
  children?: ReactNode;
}

function Facts({ state, start, end, duration, note, children }: FactsProps) {
  return (
    <>
      <p className={styles.states}>
        <StateBadge state={state} />
        {duration !== null && <span>{formatDuration(duration)}</span>}
        {note && <span className="soft">{note}</span>}
      </p>
      {(children || start) && (
        <dl>
          {children}
          {start && (
            <>
              <dt>{t("started")}</dt>
              <dd>
                <Time at={start} />
              </dd>
            </>
          )}
          {end && (
            <>
              <dt>{t("ended")}</dt>
              <dd>
                <Time at={end} />
              </dd>
            </>
          )}
        </dl>
      )}
    </>
  );
}
