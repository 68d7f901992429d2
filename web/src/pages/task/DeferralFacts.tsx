/** What a deferred task waits for: its trigger, on which triggerer, since when, until when. */

import { useQuery } from "@tanstack/react-query";
import type { InstancePlace } from "../../api/places";
import { deferralQuery } from "../../api/runs";
import { Answer } from "../../components/Answer";
import { Time } from "../../components/Time";
import { t } from "../../state/language";

export function DeferralFacts({ at }: { at: InstancePlace }) {
  return (
    <section className="why" aria-label={t("Deferral")}>
      <Answer query={useQuery(deferralQuery(at))} what={t("the deferral")}>
        {(found) => (
          <>
            <dl className="facts">
              <div>
                <dt>{t("Trigger")}</dt>
                <dd className="name">{found.classpath}</dd>
              </div>
              <div>
                <dt>{t("Deferred")}</dt>
                <dd>
                  <Time at={found.since} />
                </dd>
              </div>
              {found.kind === "trigger" && (
                <div>
                  <dt>{t("Triggerer")}</dt>
                  <dd className="name">
                    {found.triggerer ? `${found.triggerer}${found.host ? ` (${found.host})` : ""}` : t("none yet")}
                  </dd>
                </div>
              )}
              {found.queue && (
                <div>
                  <dt>{t("Queue")}</dt>
                  <dd className="name">{found.queue}</dd>
                </div>
              )}
              {found.due_at && (
                <div>
                  <dt>{t("Fires")}</dt>
                  <dd>
                    <Time at={found.due_at} />
                  </dd>
                </div>
              )}
              {found.fails_at && (
                <div>
                  <dt>{t("Fails without an event")}</dt>
                  <dd>
                    <Time at={found.fails_at} />
                  </dd>
                </div>
              )}
              {found.next_method && (
                <div>
                  <dt>{t("Goes on in")}</dt>
                  <dd className="name">{found.next_method}()</dd>
                </div>
              )}
            </dl>
            {found.kind === "trigger" && (
              <p className="soft">{t("The arguments of the trigger are stored encrypted, for triggerers only.")}</p>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
