/** The same day as a table: each run of the day, what it waits for and by which rule. */

import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { PageSteps } from "../../components/PageSteps";
import { StateBadge } from "../../components/StateBadge";
import { t } from "../../state/language";
import type { DayModel, DaySlot, Lane, Wait } from "./dayModel";
import { ZoneClock } from "../../state/days";
import { nameState } from "./MarkDetails";
import { nameRule } from "./rules";
import styles from "./day.module.css";

const PAGE = 50;
const NAMED_MAX = 8;

interface TableRow {
  lane: Lane;
  slot: DaySlot;
  waits: Wait[];
}

export function DayTable({ model, start, end, zone }: { model: DayModel; start: number; end: number; zone: string }) {
  const [isOpen, setOpen] = useState(false);
  const [page, setPage] = useState(1);
  const clock = useMemo(() => new ZoneClock(zone), [zone]);
  const rows = useMemo(() => (isOpen ? listRows(model, start, end) : []), [isOpen, model, start, end]);
  const day = clock.day(start + (end - start) / 2);
  return (
    <details className={styles.table} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("As a table")}</summary>
      {isOpen && (
        <div className="scroll" tabIndex={0} role="region" aria-label={t("Runs of the day")}>
          <table>
            <thead>
              <tr>
                <th>{t("DAG")}</th>
                <th>{t("Run")}</th>
                <th>{t("State")}</th>
                <th>{t("Waits for")}</th>
                <th>{t("Rule")}</th>
              </tr>
            </thead>
            <tbody>
              {rows.slice((page - 1) * PAGE, page * PAGE).map((row) => (
                <tr key={`${row.lane.dagId} ${row.slot.at}`}>
                  <td className="name">{row.lane.dagId}</td>
                  <td>
                    {row.slot.runId ? (
                      <Link to="/dags/$dagId/runs/$runId" params={{ dagId: row.lane.dagId, runId: row.slot.runId }}>
                        {clock.label(row.slot.at, day)}
                      </Link>
                    ) : (
                      clock.label(row.slot.at, day)
                    )}
                  </td>
                  <td>
                    <StateBadge state={nameState(row.slot.state)} />
                  </td>
                  <td>{describeWaits(model, row.waits, day, clock)}</td>
                  <td>{[...new Set(row.waits.map((one) => nameRule(one.rule)))].join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isOpen && <PageSteps page={page} size={PAGE} total={rows.length} go={(to) => setPage(to ?? 1)} />}
    </details>
  );
}

/** The runs of the day that may wait: those of the chosen DAG and of the DAGs that wait for it. */
function listRows(model: DayModel, start: number, end: number): TableRow[] {
  const waits = new Map<string, Wait[]>();
  for (const one of model.waits) {
    const key = `${one.from} ${one.fromAt}`;
    waits.set(key, [...(waits.get(key) ?? []), one]);
  }
  return model.lanes.flatMap((lane, at) =>
    lane.role === "upstream"
      ? []
      : lane.slots
          .filter((slot) => slot.at >= start && slot.at < end)
          .map((slot) => ({ lane, slot, waits: waits.get(`${at} ${slot.at}`) ?? [] })),
  );
}

function describeWaits(model: DayModel, waits: Wait[], day: string, clock: ZoneClock): string {
  if (waits.length === 0) return "–";
  const lanes = [...new Set(waits.map((one) => one.to))];
  return lanes
    .map((lane) => {
      const found = waits.filter((one) => one.to === lane);
      const times = found
        .slice(0, NAMED_MAX)
        .map((one) => `${clock.label(one.toAt, day)}${one.label ? ` (${one.label})` : ""}`)
        .join(", ");
      const more = found.length > NAMED_MAX ? ` ${t("and {count} more", { count: found.length - NAMED_MAX })}` : "";
      return `${model.lanes[lane]?.dagId ?? ""} ${times}${more}`;
    })
    .join("; ");
}
