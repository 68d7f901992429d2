/** A button that copies a name. */

import { useState } from "react";
import { t } from "../../state/language";
import { IconButton } from "../../ui/Button";
import { CheckIcon, CopyIcon } from "../../ui/icons";

export function CopyName({ name }: { name: string }) {
  const [copied, setCopied] = useState("");
  return (
    <IconButton
      isSmall
      icon={copied === name ? CheckIcon : CopyIcon}
      label={copied === name ? t("Copied") : t("Copy {name}", { name })}
      onClick={() => void navigator.clipboard?.writeText(name).then(() => setCopied(name))}
    />
  );
}
