/** What one gives to others: a link to the place that one sees, and a picture of the view. */

import { useEffect } from "react";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { CopyIcon, DownloadIcon, LinkIcon, ShareIcon } from "../../ui/icons";
import { Popover } from "../../ui/Popover";
import { openPlace } from "./findPlace";
import styles from "./share.module.css";
import { canCopyPicture, copyLink, copyPicture, savePicture } from "./share";

/** What somebody does to move elsewhere: the page stops to hold the place of the link. */
const MOVES = ["wheel", "keydown", "pointerdown", "touchmove"] as const;

export function ShareMenu() {
  useEffect(() => {
    const stop = new AbortController();
    const abort = () => stop.abort();
    for (const move of MOVES) window.addEventListener(move, abort, { signal: stop.signal, passive: true });
    openPlace(window.location.hash, stop.signal).catch(() => undefined);
    return abort;
  }, []);
  const act = (what: () => Promise<string>, close: () => void) => () => {
    close();
    void what().then(
      (said) => showToast(said),
      (fault: Error) => showToast(fault.message, undefined, true),
    );
  };
  return (
    <Popover look="quiet" placement="bottom-end" icon={ShareIcon} isBare label={null} name={t("Share this view")}>
      {(close) => (
        <div className={styles.acts}>
          <Button look="quiet" icon={LinkIcon} onClick={act(copyLink, close)}>
            {t("Copy a link to this place")}
          </Button>
          {canCopyPicture() && (
            <Button look="quiet" icon={CopyIcon} onClick={act(copyPicture, close)}>
              {t("Copy a picture of this view")}
            </Button>
          )}
          <Button look="quiet" icon={DownloadIcon} onClick={act(savePicture, close)}>
            {t("Save a picture of this view")}
          </Button>
        </div>
      )}
    </Popover>
  );
}
