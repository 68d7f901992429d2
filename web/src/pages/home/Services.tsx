/** Whether each service is alive. */

import { useQuery } from "@tanstack/react-query";
import { servicesQuery } from "../../api/queries";
import { Ago } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { t } from "../../state/language";

export function Services() {
  return (
    <section aria-labelledby="services">
      <h2 id="services">{t("Services")}</h2>
      <Answer query={useQuery(servicesQuery())} what={t("the services")}>
        {(found) => (
          <ul className="cards">
            {found.services.map((one) => (
              <li key={`${one.service} ${one.id}`}>
                <b>{one.service}</b>
                <span className={one.alive ? "good" : "bad"}>{one.alive ? t("✓ alive") : t("✕ no heartbeat")}</span>
                <span className="soft">
                  {one.host}
                  {one.beat_at && (
                    <>
                      , {t("last heartbeat")} <Ago at={one.beat_at} />
                    </>
                  )}
                </span>
                {!one.alive && !found.services.some((other) => other.alive && other.service === one.service) && (
                  <span>{t("Start it with: gnomon {service}", { service: one.service })}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <p>
        <a href="/services">{t("All services and problems of the installation")}</a>
      </p>
    </section>
  );
}
