/** What a change set: each field that is not the same, with the value before and after. */

import { Value } from "../../components/Value";
import { t } from "../../state/language";
import { compareFields } from "./eventBody";
import styles from "./audit.module.css";

export function ChangedFields({ before, after }: { before: unknown; after: unknown }) {
  const fields = compareFields(before, after);
  if (fields.length === 0) return null;
  return (
    <span className={styles.fields}>
      {fields.map((one) => (
        <span key={one.name}>
          {one.name && <span className="soft">{one.name} </span>}
          {one.before !== undefined && (
            <del>
              <span className="unseen">{t("before:")} </span>
              <Value isInline text={one.before} />
            </del>
          )}
          {one.before !== undefined && one.after !== undefined && <span aria-hidden="true"> → </span>}
          {one.after !== undefined && <Value isInline text={one.after} />}
        </span>
      ))}
    </span>
  );
}
