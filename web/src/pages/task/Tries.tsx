/** The tries of a task instance side by side: a column for each, a row for each fact; what differs from the try before is marked. */

import type { TryList } from "../../api/shapes";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import type { PartProps } from "./instancePart";
import styles from "./instance.module.css";

type Try = TryList["task_instances"][number];

export function Tries({ tries, view, set }: PartProps) {
  const all = tries?.task_instances ?? [];
  if (all.length === 0) return <p className="soft">{t("The task has not been tried yet.")}</p>;
  const text = (name: string, read: (one: Try) => string | null | undefined) => ({
    name,
    show: (one: Try) => <span className="name">{read(one) || "–"}</span>,
    value: read,
  });
  const rows = [
    { name: t("State"), show: (one: Try) => <StateBadge state={one.state} />, value: (one: Try) => one.state },
    { name: t("Started"), show: (one: Try) => <Time at={one.start_date} />, value: () => null },
    { name: t("Ended"), show: (one: Try) => <Time at={one.end_date} />, value: () => null },
    { name: t("Duration"), show: (one: Try) => formatDuration(one.duration) || "–", value: () => null },
    text(t("Worker"), (one) => one.hostname),
    text(t("Pool"), (one) => `${one.pool} (${one.pool_slots})`),
    text(t("Queue"), (one) => one.queue),
    text(t("Version"), (one) => one.dag_version?.version_number?.toString()),
  ];
  return (
    <div className="scroll">
      <table className={styles.tries}>
        <thead>
          <tr>
            <th scope="col">{t("Try")}</th>
            {all.map((one) => (
              <th key={one.try_number} scope="col">
                {one.try_number}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {all.map((one, at) => {
                const before = all[at - 1];
                return (
                  <td
                    key={one.try_number}
                    className={before && row.value(before) !== row.value(one) ? styles.differs : undefined}
                  >
                    {row.show(one)}
                  </td>
                );
              })}
            </tr>
          ))}
          <tr>
            <th scope="row">{t("Log")}</th>
            {all.map((one) => (
              <td key={one.try_number}>
                <button
                  type="button"
                  onClick={() => set({ ...view, try: one.try_number, part: undefined, line: undefined })}
                >
                  {t("log of try {number}", { number: one.try_number })}
                </button>
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      {all.length > 1 && (
        <button
          type="button"
          onClick={() =>
            set({
              ...view,
              part: undefined,
              try: all[all.length - 2]?.try_number,
              beside: all[all.length - 1]?.try_number,
            })
          }
        >
          {t("Compare the logs of the last two tries")}
        </button>
      )}
    </div>
  );
}
