/** A question or a form in front of the view. Escape and the close button leave everything as it was. */

import { Dialog as Box, DialogDismiss, DialogHeading } from "@ariakit/react/dialog";
import { type ReactNode, useState } from "react";
import { t } from "../state/language";
import { buttonClass } from "./Button";
import { CloseIcon } from "./icons";
import styles from "./dialog.module.css";

interface Props {
  title: ReactNode;
  open: boolean;
  close: () => void;
  /** The buttons at the bottom, the one that acts last. */
  acts?: ReactNode;
  isWide?: boolean;
  /** One begins to type at once: the first field has the focus, and its text is selected. */
  isForm?: boolean;
  children: ReactNode;
}

const FIELD = "input:not([type=hidden], [type=checkbox], [type=radio], :disabled), select, textarea";

export function Dialog({ title, open, close, acts, isWide, isForm, children }: Props) {
  const [content, setContent] = useState<HTMLElement | null>(null);
  return (
    <Box
      open={open}
      onClose={close}
      modal
      portal
      unmountOnHide
      data-modal=""
      initialFocus={isForm ? content?.querySelector<HTMLElement>(FIELD) : undefined}
      autoFocusOnShow={(field) => {
        if (isForm && field instanceof HTMLInputElement) field.select();
        return true;
      }}
      className={isWide ? `${styles.dialog} ${styles.wide}` : styles.dialog}
      backdrop={<div className={styles.backdrop} />}
    >
      <header className={styles.head}>
        <DialogHeading className={styles.title}>{title}</DialogHeading>
        <DialogDismiss className={`${buttonClass("quiet")} ${styles.close}`} aria-label={t("Close")}>
          <CloseIcon size={16} aria-hidden="true" />
        </DialogDismiss>
      </header>
      <div className={styles.content} ref={setContent}>
        {children}
      </div>
      {acts && <footer className={styles.acts}>{acts}</footer>}
    </Box>
  );
}
