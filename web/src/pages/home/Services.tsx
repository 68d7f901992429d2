/** Whether all services are alive, in a word that leads to them. */

import { useQuery } from "@tanstack/react-query";
import { servicesQuery } from "../../api/queries";
import { StateDot } from "../../components/StateDot";
import { t, tn } from "../../state/language";
import { buttonClass } from "../../ui/Button";

export function Services() {
  const services = useQuery(servicesQuery()).data?.services;
  const silent = (services ?? []).filter(
    (one) => !one.alive && !services?.some((other) => other.alive && other.service === one.service),
  );
  return (
    <a href="/services" className={buttonClass("quiet")}>
      <StateDot state={services === undefined ? null : silent.length ? "failed" : "success"} />
      {services === undefined
        ? t("Services")
        : silent.length > 0
          ? t("no heartbeat: {services}", { services: silent.map((one) => one.service).join(", ") })
          : tn("{count} service alive", "{count} services alive", services.filter((one) => one.alive).length)}
    </a>
  );
}
