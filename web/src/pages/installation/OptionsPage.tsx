/** The options with their values, defaults and sources, and why an option does not act. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type Option, optionsQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { SearchField } from "../../components/SearchField";
import { StackTable } from "../../components/StackTable";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { chooseOptions, type OptionFilters } from "./chooseOptions";
import styles from "./options.module.css";

const route = getRouteApi("/options");

export function OptionsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: OptionFilters) =>
    void navigate({ to: "/options", search: { ...filters, ...some }, replace: true });
  return (
    <>
      <h1>{t("Options")}</h1>
      <p className="soft">
        {t(
          "The options of this api-server. Options are set in gnomon.toml or in the environment; a service reads them when it starts.",
        )}
      </p>
      <Answer query={useQuery(optionsQuery())} what={t("the options")}>
        {(found) => {
          const chosen = chooseOptions(found.options, filters);
          const sections = [...new Set(found.options.map((one) => one.section))];
          return (
            <>
              <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
                <SearchField label={t("Search")} value={filters.search} onChange={(search) => set({ search })} />
                <label>
                  {t("Section")}{" "}
                  <select
                    value={filters.section ?? ""}
                    onChange={(event) => set({ section: event.target.value || undefined })}
                  >
                    <option value="">{t("all")}</option>
                    {sections.map((one) => (
                      <option key={one}>{one}</option>
                    ))}
                  </select>
                </label>
                <label>
                  {t("Which")}{" "}
                  <select
                    value={filters.only ?? ""}
                    onChange={(event) => set({ only: (event.target.value || undefined) as OptionFilters["only"] })}
                  >
                    <option value="">{t("all options")}</option>
                    <option value="set">{t("those that are set")}</option>
                    <option value="idle">{t("set, and without effect")}</option>
                  </select>
                </label>
              </form>
              {found.undeclared.length > 0 && (
                <section className="notice">
                  <p>{t("The environment sets these, and they have no effect:")}</p>
                  <ul>
                    {found.undeclared.map((one) => (
                      <li key={one.source}>
                        <code>{one.source}</code> <span className="soft">{one.reason}</span>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              <p className="soft" role="status">
                {tn("{count} option", "{count} options", chosen.length)}
              </p>
              <StackTable
                label={t("Options")}
                headings={[t("Option"), t("Value"), t("Default"), t("Set in")]}
                className={styles.options}
              >
                {chosen.map((one) => (
                  <Row key={`${one.section}.${one.name}`} one={one} />
                ))}
              </StackTable>
            </>
          );
        }}
      </Answer>
    </>
  );
}

function Row({ one }: { one: Option }) {
  const isSet = one.source !== "default";
  return (
    <tr className={one.acts ? undefined : "off"}>
      <td>
        <details>
          <summary>
            [{one.section}] <b>{one.name}</b>
          </summary>
          <p className="hint">{one.description}</p>
        </details>
        {!one.acts && isSet && (
          <p className="bad">
            {t("It does not act.")} {one.description}
          </p>
        )}
      </td>
      <td>
        <Value text={one.value === "" ? t("(empty)") : one.value} />
      </td>
      <td>
        {isSet ? (
          <Value text={one.default === "" ? t("(empty)") : one.default} />
        ) : (
          <span className="soft">{t("the same")}</span>
        )}
      </td>
      <td>
        <span className="name">{isSet ? one.source : t("default")}</span>
      </td>
    </tr>
  );
}
