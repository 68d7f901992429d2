/** The browsers that are logged in to an account; without a name, to one's own. Each can be ended. */

import { useQuery } from "@tanstack/react-query";
import { sessionsQuery } from "../api/administration";
import { useAct } from "../api/administrationChanges";
import { remove } from "../api/client";
import { t } from "../state/language";
import { Answer, Refusal } from "./Answer";
import { Time } from "./Time";

export function SessionList({ account }: { account?: string }) {
  const act = useAct("sessions", "audit");
  return (
    <Answer query={useQuery(sessionsQuery(account))} what={t("the sessions")}>
      {(found) => (
        <>
          {found.sessions.length === 0 && <p className="soft">{t("No browser is logged in.")}</p>}
          <ul className="lines" aria-label={t("Sessions of {name}", { name: found.account })}>
            {found.sessions.map((one) => (
              <li key={one.id}>
                {t("from {address}", { address: one.address })}{" "}
                <span className="soft">
                  {t("since")} <Time at={one.created_at} /> · {t("last used")} <Time at={one.used_at} />
                </span>{" "}
                {one.is_current ? (
                  <b>{t("this browser")}</b>
                ) : (
                  <button
                    type="button"
                    aria-label={t("End session {id}", { id: one.id })}
                    disabled={act.isPending}
                    onClick={() =>
                      act.mutate(() =>
                        remove("/auth/sessions/{session_id}", { path: { session_id: one.id }, query: { account } }),
                      )
                    }
                  >
                    {t("End session")}
                  </button>
                )}
              </li>
            ))}
          </ul>
          {act.error && <Refusal error={act.error} />}
        </>
      )}
    </Answer>
  );
}
