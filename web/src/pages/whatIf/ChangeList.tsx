/** The changes in words. A click on one puts it into the form again. */

import { t } from "../../state/language";
import { IconButton } from "../../ui/Button";
import { CloseIcon } from "../../ui/icons";
import { describeChange } from "./changeWords";
import { type Change, writeChange } from "./scenarioChanges";
import styles from "./whatIf.module.css";

interface Props {
  changes: readonly Change[];
  edit: (change: Change) => void;
  remove: (change: Change) => void;
}

export function ChangeList({ changes, edit, remove }: Props) {
  if (changes.length === 0) return null;
  return (
    <ul className={styles.changes} aria-label={t("Changes")}>
      {changes.map((change) => {
        const words = describeChange(change);
        return (
          <li key={writeChange(change)}>
            <button type="button" className={styles.words} title={t("Edit this change")} onClick={() => edit(change)}>
              <bdi>{words}</bdi>
            </button>
            <IconButton
              isSmall
              icon={CloseIcon}
              label={t("Remove: {change}", { change: words })}
              onClick={() => remove(change)}
            />
          </li>
        );
      })}
    </ul>
  );
}
