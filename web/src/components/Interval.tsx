import { t } from "../state/language";
import { Time } from "./Time";

/** A data interval; one instant where it begins and ends at the same time, as those of schedules without an interval. */
export function Interval({ start, end }: { start: string | null | undefined; end: string | null | undefined }) {
  if (!start || !end || Date.parse(start) === Date.parse(end)) return <Time at={start} isDate />;
  return (
    <span>
      <Time at={start} isDate /> {t("to")} <Time at={end} isDate />
    </span>
  );
}
