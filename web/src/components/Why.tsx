/** Why something does not run: the sentences of `explain`, and their conditions as a tree. */

import type { UseQueryResult } from "@tanstack/react-query";
import type { Condition } from "../api/runs";
import type { Explanation } from "../api/shapes";
import { t } from "../state/language";
import { Answer } from "./Answer";
import { ConditionTree } from "./ConditionTree";
import { Sentence } from "./Sentences";

export function Why({ query, dagId, none }: { query: UseQueryResult<Explanation>; dagId: string; none: string }) {
  return (
    <section className="why" aria-label={t("Why")}>
      <Answer query={query} what={t("the explanation")}>
        {(found) => (
          <>
            {found.sentences.length === 0 && <p>{none}</p>}
            <Sentences texts={found.sentences.filter((one) => !listTexts(found.conditions).includes(one))} />
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

function Sentences({ texts }: { texts: readonly string[] }) {
  return (
    texts.length > 0 && (
      <ul>
        {texts.map((one, at) => (
          <li key={at}>
            <Sentence text={one} />
          </li>
        ))}
      </ul>
    )
  );
}

/** The sentences that stand in the tree: they are not said twice. */
function listTexts(conditions: readonly Condition[]): string[] {
  return conditions.flatMap((one) => (one.met ? [] : [one.text, ...listTexts(one.children)]));
}
