/** Zone of times, theme, density and language: kept in the browser. */

import { chooseLanguage, t } from "../state/language";
import { listLanguages } from "../state/languages";
import { DENSITY, LANGUAGE, type Preference, THEME, usePreference, ZONE } from "../state/preferences";
import { useZone } from "../state/times";
import { zoneName } from "../state/zonedTimes";
import styles from "./layout.module.css";
import { readMeta } from "../state/meta";
import { SettingsIcon } from "../ui/icons";
import { Popover } from "../ui/Popover";

const WORDS: Record<string, string> = {
  local: /* text */ "Local time",
  UTC: "UTC",
  DAG: /* text */ "Zone of the DAG",
  system: /* text */ "as the system",
  light: /* text */ "light",
  dark: /* text */ "dark",
  comfortable: /* text */ "comfortable",
  compact: /* text */ "compact",
  ...listLanguages(),
};

export function PreferencesMenu() {
  // The zone of all times of the page, said once.
  const full = zoneName(useZone());
  const zone = full.slice(full.lastIndexOf("/") + 1).replaceAll("_", " ");
  return (
    <Popover
      look="quiet"
      placement="bottom-end"
      icon={SettingsIcon}
      isBare
      label={
        <>
          <span className="unseen">{t("Display, times in the zone")} </span>
          <span className={styles.zone}>{zone}</span>
        </>
      }
      tour="display"
    >
      <Choice of={ZONE} label={t("Times")} />
      <Choice of={THEME} label={t("Theme")} />
      <Choice of={DENSITY} label={t("Density")} />
      <Choice
        of={LANGUAGE}
        label={t("Language")}
        chosen={(before) => {
          if (chooseLanguage() !== before) window.location.reload();
        }}
      />
      <p className="soft small">Gnomon {readMeta("gnomon-version")}</p>
    </Popover>
  );
}

function Choice<T extends string>({
  of,
  label,
  chosen,
}: {
  of: Preference<T>;
  label: string;
  chosen?: (before: string) => void;
}) {
  const [value, set] = usePreference(of);
  const choose = (one: T) => {
    const before = chooseLanguage();
    set(one);
    chosen?.(before);
  };
  return (
    <fieldset>
      <legend>{label}</legend>
      {of.values.map((one) => (
        <label key={one}>
          <input type="radio" name={of.name} checked={value === one} onChange={() => choose(one)} />{" "}
          {t(WORDS[one] ?? one)}
        </label>
      ))}
    </fieldset>
  );
}
