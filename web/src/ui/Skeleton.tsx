/** Lines in the place of what is being read; they appear only if the answer takes longer than 400 ms. */

import { t } from "../state/language";

const LINES = 3;

export function Skeleton({ what }: { what: string }) {
  return (
    <div className="skeleton" aria-busy="true">
      <p className="soft">{t("Reading {what} …", { what })}</p>
      {Array.from({ length: LINES }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}
