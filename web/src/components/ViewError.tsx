/** What a view shows that has failed: what happened, and how to go on. After an upgrade the server has other files, and the page is loaded anew once. */

import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { t } from "../state/language";

const RELOADED = "gnomon.reloaded";
const AGAIN_MS = 60_000;

export function ViewError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const isOld = isGoneFile(error);
  useEffect(() => {
    if (!isOld || Date.now() - Number(sessionStorage.getItem(RELOADED) ?? 0) < AGAIN_MS) return;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    window.location.reload();
  }, [isOld]);
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className="notice" role="alert">
      <h1>{t("This view has failed")}</h1>
      <p>
        {isOld
          ? t("A file of the page is not there any more: the server was upgraded. Load the page again.")
          : (error as Error).message}
      </p>
      {!isOld && (
        <button type="button" onClick={again}>
          {t("Try again")}
        </button>
      )}{" "}
      <button type="button" onClick={() => window.location.reload()}>
        {t("Load the page again")}
      </button>
    </div>
  );
}

/** Whether a part of the page could not be loaded, in the words of each browser. */
function isGoneFile(error: unknown): boolean {
  return /dynamically imported module|importing a module script failed|error loading dynamically/i.test(
    String((error as Error | undefined)?.message ?? error),
  );
}
