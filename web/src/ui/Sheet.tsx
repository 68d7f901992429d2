/** A sheet at the right edge: the details of what is chosen, beside the view that stays usable. On a narrow window it covers the view. */

import { Dialog, DialogDismiss, DialogHeading } from "@ariakit/react/dialog";
import { type ReactNode, useRef } from "react";
import { t } from "../state/language";
import { useNarrow } from "../components/useNarrow";
import { buttonClass } from "./Button";
import { CloseIcon } from "./icons";
import styles from "./sheet.module.css";

interface Props {
  title: ReactNode;
  /** What stands beside the title: a state, a link to the whole view. */
  aside?: ReactNode;
  open: boolean;
  close: () => void;
  /** On a wide window the view makes room, so that the sheet covers nothing of it. */
  isBeside?: boolean;
  children: ReactNode;
}

export function Sheet({ title, aside, open, close, isBeside, children }: Props) {
  const isModal = useNarrow();
  const box = useRef<HTMLDivElement>(null);
  return (
    <Dialog
      ref={box}
      open={open}
      onClose={close}
      modal={isModal}
      portal
      className={isBeside ? `${styles.sheet} ${styles.beside}` : styles.sheet}
      // The view beside it is used while the sheet is open: a click there chooses something else.
      hideOnInteractOutside={isModal}
      autoFocusOnShow={isModal}
      unmountOnHide
    >
      <div className={styles.head}>
        <DialogHeading className={styles.title}>{title}</DialogHeading>
        {aside}
        <DialogDismiss className={`${buttonClass("quiet")} ${styles.close}`} aria-label={t("Close")}>
          <CloseIcon size={16} aria-hidden="true" />
        </DialogDismiss>
      </div>
      <div className={styles.content}>{children}</div>
    </Dialog>
  );
}
