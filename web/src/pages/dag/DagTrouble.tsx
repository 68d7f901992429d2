/** One line below the header of a DAG: what is broken or waits, and the act that helps. Nothing where all is well. */

import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { usePause } from "../../api/changes";
import type { Explanation } from "../../api/shapes";
import { Act } from "../../components/Act";
import { Failure } from "../../components/Answer";
import { Sentence, SentenceList } from "../../components/Sentences";
import { t } from "../../state/language";
import { Button, buttonClass } from "../../ui/Button";
import { ClockIcon, WarningIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { findRun, isBroken, isPaused, isTrouble, type ToldSentence } from "./dagTrouble";
import styles from "./dag.module.css";

export function DagTrouble({ dagId, query }: { dagId: string; query: UseQueryResult<Explanation> }) {
  if (query.isError && query.data === undefined)
    return <Failure what={t("the explanation")} error={query.error} retry={() => void query.refetch()} />;
  const all = query.data?.coded ?? [];
  const troubles = all.filter(isTrouble);
  const worst = troubles.find(isPaused) ?? troubles.find(isBroken) ?? troubles[0];
  if (!worst) return null;
  const Sign = isBroken(worst) ? WarningIcon : ClockIcon;
  return (
    <section className={`${styles.trouble} ${isBroken(worst) ? styles.broken : ""}`} aria-label={t("Why")}>
      <Sign size={16} strokeWidth={1.75} aria-hidden="true" />
      <p>
        <Sentence text={worst.text} spans={worst.spans} />
      </p>
      {all.length > 1 && (
        <Popover
          label={troubles.length > 1 ? t("{count} more", { count: troubles.length - 1 }) : t("Why")}
          look="quiet"
          isSmall
        >
          <SentenceList sentences={all} className={styles.sentences} />
        </Popover>
      )}
      <Remedy dagId={dagId} sentence={worst} />
    </section>
  );
}

function Remedy({ dagId, sentence }: { dagId: string; sentence: ToldSentence }) {
  const pause = usePause(dagId);
  const run = findRun(sentence);
  if (isPaused(sentence))
    return (
      <Act dagId={dagId}>
        <Button isSmall isBusy={pause.isPending} onClick={() => pause.mutate(false)}>
          {t("Unpause")}
        </Button>
      </Act>
    );
  if (!run) return null;
  return (
    <Link className={buttonClass("plain", true)} to="/dags/$dagId/runs/$runId" params={run} search={{}}>
      {t("Open the run")}
    </Link>
  );
}
