/** The acts of a row of a table, at its end: to edit it, and what stands beside that. */

import type { ReactNode } from "react";
import { t } from "../state/language";
import { Button } from "../ui/Button";
import { Act } from "./Act";
import styles from "./rowActs.module.css";

interface Props {
  /** What an account needs to edit the row. */
  needs: string;
  /** The name of the button for screen readers. */
  name: string;
  edit: () => void;
  children?: ReactNode;
}

export function RowActs({ needs, name, edit, children }: Props) {
  return (
    <div className={styles.acts}>
      <Act needs={needs}>
        <Button isSmall aria-label={name} onClick={edit}>
          {t("Edit")}
        </Button>
      </Act>
      {children}
    </div>
  );
}
