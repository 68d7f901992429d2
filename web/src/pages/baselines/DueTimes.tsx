/** How a baseline stood at its due times of the past. */

import type { DueTime } from "../../api/baselines";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { LevelPill } from "./BaselineFacts";

export function DueTimes({ dueTimes }: { dueTimes: readonly DueTime[] }) {
  return (
    <StackTable
      label={t("Table of the earlier due times")}
      headings={[t("Due|baseline"), t("Level"), t("Done"), t("Difference")]}
    >
      {dueTimes.map((one) => (
        <tr key={one.due_at}>
          <td>
            <Time at={one.due_at} />
          </td>
          <td>
            <LevelPill level={one.level} />
          </td>
          <td>
            <Time at={one.ended_at} />
          </td>
          <td>
            <Difference dueTime={one} />
          </td>
        </tr>
      ))}
    </StackTable>
  );
}

function Difference({ dueTime: { due_at: due, ended_at: ended } }: { dueTime: DueTime }) {
  if (!ended) return <span className="soft none">–</span>;
  const seconds = (Date.parse(ended) - Date.parse(due)) / 1000;
  const span = formatDuration(Math.abs(seconds));
  if (seconds > 0) return <span className="bad">{t("{span} too late", { span })}</span>;
  return <span>{t("{span} before it", { span })}</span>;
}
