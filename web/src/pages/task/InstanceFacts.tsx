/** What a task instance is, in a line: when it ran and how long, its try, its operator. */

import type { TaskInstance } from "../../api/shapes";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";

export function InstanceFacts({ one }: { one: TaskInstance }) {
  return (
    <>
      {one.start_date && (
        <span>
          <Time at={one.start_date} />
        </span>
      )}
      {one.duration !== null && <span>{formatDuration(one.duration)}</span>}
      <span>{t("try {number} of at most {most}", { number: one.try_number, most: (one.max_tries ?? 0) + 1 })}</span>
      {one.operator && <span className="name">{one.operator}</span>}
    </>
  );
}
