/** The text of a change. That of a backfill is said in the language and the zone of the page. */

import { Time } from "../../components/Time";
import { isState, stateName } from "../../components/StateBadge";
import { Value } from "../../components/Value";
import { t } from "../../state/language";

const BACKFILL = /^backfill (\d+): (\S+) to (\S+), reprocess=(\w+)$/;

export function ChangeText({ text }: { text: string }) {
  const [, id, from, to, reprocess] = BACKFILL.exec(text) ?? [];
  if (isState(text)) return <>{stateName(text)}</>;
  if (id === undefined) return <Value text={text} isCode={false} />;
  return (
    <span>
      {t("backfill {id}", { id })} · <Time at={from} isDate /> – <Time at={to} isDate />
      {reprocess !== "none" && (
        <>
          {" "}
          · <code>reprocess={reprocess}</code>
        </>
      )}
    </span>
  );
}
