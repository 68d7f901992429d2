/** Lines in the place of what is being read; they appear only if the answer takes longer than 400 ms. */

import { t } from "../state/language";

export function Skeleton({ what, lines = 3 }: { what: string; lines?: number }) {
  return (
    <div className="skeleton" aria-busy="true">
      <p className="soft">{t("Reading {what} …", { what })}</p>
      {Array.from({ length: lines }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}
