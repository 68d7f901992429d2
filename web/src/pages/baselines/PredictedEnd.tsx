/** When a baseline will probably be done, or was done. */

import type { Baseline } from "../../api/baselines";
import { useNow } from "../../components/Ago";
import { t } from "../../state/language";
import { formatSoon, useZone } from "../../state/times";

export function PredictedEnd({ baseline }: { baseline: Pick<Baseline, "end_p50" | "end_p90" | "ended_at" | "level"> }) {
  const zone = useZone();
  const now = useNow();
  const show = (at: string) => formatSoon(at, zone, now);
  const { end_p50: end, end_p90: late, ended_at: ended, level } = baseline;
  if (ended) return <>{t("done at {time}", { time: show(ended) })}</>;
  if (level === null) return <span className="soft">{t("no prediction yet")}</span>;
  if (!end) return <>{t("in half of the futures not done")}</>;
  if (!late) return <>{t("done about {time}, not in one of ten futures", { time: show(end) })}</>;
  return <>{t("done about {time}, nine of ten by {late}", { time: show(end), late: show(late) })}</>;
}
