/** A button that copies a name, for names that a view must shorten. */

import { useState } from "react";
import { t } from "../../state/language";

export function CopyName({ name }: { name: string }) {
  const [copied, setCopied] = useState("");
  return (
    <button
      type="button"
      onClick={() => void navigator.clipboard?.writeText(name).then(() => setCopied(name))}
      aria-label={t("Copy {name}", { name })}
    >
      {copied === name ? t("copied") : t("copy")}
    </button>
  );
}
