/** To change and to delete a stored baseline; of one in a file, where it stands. */

import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAct } from "../../api/administrationChanges";
import type { BaselineDetails } from "../../api/baselines";
import { remove } from "../../api/client";
import { Act } from "../../components/Act";
import { ConfirmButton } from "../../components/ConfirmButton";
import { t } from "../../state/language";
import { showToast } from "../../state/toasts";
import { Button } from "../../ui/Button";
import { BaselineForm } from "./BaselineForm";

export function BaselineActs({ baseline }: { baseline: BaselineDetails }) {
  const { name } = baseline;
  const act = useAct("baselines", "audit");
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  if (!baseline.is_changeable) return null;
  const leave = () => {
    showToast(t("The baseline {name} is deleted.", { name }));
    return navigate({ to: "/baselines", replace: true });
  };
  return (
    <>
      <Act needs="edit baseline">
        <Button isSmall onClick={() => setOpen(true)}>
          {t("Edit")}
        </Button>
        {isOpen && <BaselineForm baseline={baseline} done={() => setOpen(false)} />}
      </Act>
      <Act needs="delete baseline">
        <ConfirmButton
          label={t("Delete")}
          name={t("Delete baseline {name}", { name })}
          confirm={t("Delete the baseline")}
          question={
            <p>
              {t(
                "Delete the baseline {name}? It is no longer judged, and its coming due times go with it. Those that were met or broken are kept for 90 days.",
                { name },
              )}
            </p>
          }
          act={() =>
            act.mutateAsync(() => remove("/api/gnomon/v1/baselines/{name}", { path: { name } })).then(() => leave())
          }
        />
      </Act>
    </>
  );
}
