/** A secret that nothing can show again, with a button that copies it. */

import { useState } from "react";
import { t } from "../state/language";
import { Button } from "../ui/Button";
import { CopyIcon } from "../ui/icons";
import styles from "./shownOnce.module.css";

export function ShownOnce({ label, secret, done }: { label: string; secret: string; done: () => void }) {
  const [copied, setCopied] = useState("");
  const copy = () => {
    navigator.clipboard.writeText(secret).then(
      () => setCopied(t("Copied.")),
      () => setCopied(t("The browser does not allow it: select the text and copy it.")),
    );
  };
  return (
    <section className="preview" aria-label={label}>
      <p>
        <b>{label}</b> {t("It is shown once: keep it now.")}
      </p>
      <p>
        <code className={styles.secret}>{secret}</code>
      </p>
      <div className="acts">
        <Button icon={CopyIcon} onClick={copy}>
          {t("Copy")}
        </Button>
        <Button onClick={done}>{t("I have kept it")}</Button>
        <span role="status">{copied}</span>
      </div>
    </section>
  );
}
