/** Why something does not run: the sentences of `explain`, and their conditions as a tree. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { Explanation } from "../api/shapes";
import { t } from "../state/language";
import { Answer } from "./Answer";
import { ConditionTree } from "./ConditionTree";
import { SentenceList } from "./Sentences";

export function Why({ query, dagId, none }: { query: UseQueryResult<Explanation>; dagId: string; none: string }) {
  return (
    <section className="why" aria-label={t("Why")}>
      <Answer query={query} what={t("the explanation")}>
        {(found) => (
          <>
            {found.sentences.length === 0 && <p>{none}</p>}
            <Notes sentences={found.coded.filter((one) => !one.is_condition)} />
            {found.conditions.some((one) => !one.met) && (
              <details open>
                <summary>{t("Why, condition by condition")}</summary>
                <ConditionTree conditions={found.conditions} dagId={dagId} />
              </details>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}

/** What no condition of the tree says. */
function Notes({ sentences }: { sentences: Explanation["coded"] }) {
  return sentences.length > 0 && <SentenceList sentences={sentences} />;
}
