/** A sheet at the right edge: the details of what is chosen. A wide window makes room for it beside the view, which stays usable; it lies over a part of one that is less wide, and covers a narrow one. */

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
  children: ReactNode;
}

/** Whether a sheet lies over a part of the view: a wide window has room beside the view, in a narrow one there is only the sheet. */
export function coversView(): boolean {
  return window.matchMedia("(min-width: 40rem) and (max-width: 64rem)").matches;
}

export function Sheet({ title, aside, open, close, children }: Props) {
  const isModal = useNarrow();
  const box = useRef<HTMLDivElement>(null);
  return (
    <Dialog
      ref={box}
      open={open}
      onClose={close}
      modal={isModal}
      portal
      data-modal={isModal ? "" : undefined}
      data-sheet=""
      className={styles.sheet}
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
