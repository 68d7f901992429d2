/** The options by section, with their values, defaults and sources, and why an option does not act. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type Option, optionsQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { StackTable } from "../../components/StackTable";
import { Value } from "../../components/Value";
import { t, tn } from "../../state/language";
import { Button, Segments } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { PageHeader, Toolbar } from "../../ui/PageHeader";
import { SearchBox } from "../../ui/SearchBox";
import { chooseOptions, groupBySection, type OptionFilters } from "./chooseOptions";
import styles from "./options.module.css";

const route = getRouteApi("/options");

export function OptionsPage() {
  const filters = route.useSearch();
  const navigate = useNavigate();
  const set = (some: OptionFilters) =>
    void navigate({ to: "/options", search: { ...filters, ...some }, replace: true });
  const query = useQuery(optionsQuery());
  return (
    <>
      <PageHeader
        title={t("Options")}
        facts={
          <span>
            {t(
              "The options of this api-server. Options are set in gnomon.toml or in the environment; a service reads them when it starts.",
            )}
          </span>
        }
      />
      <Toolbar label={t("Controls")}>
        <SearchBox
          label={t("Search")}
          placeholder={t("name, value or words of its description")}
          value={filters.search}
          onChange={(search) => set({ search })}
        />
        <Segments
          label={t("Which")}
          value={filters.only ?? "all"}
          options={[
            { value: "all", label: t("all options") },
            { value: "set", label: t("those that are set") },
            { value: "idle", label: t("set, and without effect") },
          ]}
          choose={(only) => set({ only: only === "all" ? undefined : only })}
        />
      </Toolbar>
      <Answer query={query} what={t("the options")}>
        {(answer) => {
          const fitting = groupBySection(chooseOptions(answer.options, { ...filters, section: undefined }));
          const shown = filters.section === undefined ? fitting : fitting.filter(([name]) => name === filters.section);
          const count = shown.reduce((sum, [, options]) => sum + options.length, 0);
          return (
            <div className={styles.columns}>
              <nav className={styles.index} aria-label={t("Sections")}>
                <Link
                  to="/options"
                  search={{ ...filters, section: undefined }}
                  {...mark(filters.section === undefined)}
                >
                  <span>{t("all")}</span>
                </Link>
                {fitting.map(([name, options]) => (
                  <Link
                    key={name}
                    to="/options"
                    search={{ ...filters, section: name }}
                    {...mark(filters.section === name)}
                  >
                    <span className="name">{name}</span>
                    <span className="soft">{options.length}</span>
                  </Link>
                ))}
              </nav>
              <div className={styles.sections}>
                {answer.undeclared.length > 0 && (
                  <section className="notice">
                    <p>{t("The environment sets these, and they have no effect:")}</p>
                    <ul>
                      {answer.undeclared.map((one) => (
                        <li key={one.source}>
                          <code>{one.source}</code> <span className="soft">{one.reason}</span>
                        </li>
                      ))}
                    </ul>
                  </section>
                )}
                <p className="unseen" role="status">
                  {tn("{count} option", "{count} options", count)}
                </p>
                {count === 0 && (
                  <EmptyState
                    title={t("No option fits.")}
                    acts={
                      <Button onClick={() => void navigate({ to: "/options", search: {} })}>
                        {t("Clear all filters")}
                      </Button>
                    }
                  />
                )}
                {shown.map(([name, options]) => (
                  <section key={name}>
                    <h2 className="name">[{name}]</h2>
                    <StackTable
                      label={t("Options of [{section}]", { section: name })}
                      headings={[t("Option"), t("Value"), t("Default"), t("Set in")]}
                      className={styles.options}
                    >
                      {options.map((one) => (
                        <Row key={one.name} one={one} />
                      ))}
                    </StackTable>
                  </section>
                ))}
              </div>
            </div>
          );
        }}
      </Answer>
    </>
  );
}

/** Of the link to the section that is shown. */
function mark(isHere: boolean) {
  return isHere ? { className: styles.here, "aria-current": "true" as const } : { className: "" };
}

function Row({ one }: { one: Option }) {
  const isSet = one.source !== "default";
  return (
    <tr className={one.acts ? undefined : "off"}>
      <td>
        <details>
          <summary>
            <b>{one.name}</b>
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
