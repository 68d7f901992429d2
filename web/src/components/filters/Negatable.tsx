/** A filter on one value, which can be negated. */

import { t } from "../../state/language";
import { SearchBox } from "../../ui/SearchBox";
import { cutText } from "../LongText";
import { SearchField } from "../SearchField";
import styles from "./filters.module.css";

const OPTION_MAX = 100;

interface NegatableProps {
  label: string;
  value: string | undefined;
  change: (value: string | undefined) => void;
  options?: readonly string[];
  nameOf?: (value: string) => string;
  placeholder?: string;
  type?: "search" | "number";
  /** For the line of controls of a list: any text, with a sign in the place of the label. */
  isBare?: boolean;
}

/** A filter with a box that negates it: `!` before the value. */
export function Negatable({
  label,
  value,
  change,
  options,
  nameOf = (one) => one,
  placeholder,
  type,
  isBare,
}: NegatableProps) {
  const isNot = value?.startsWith("!") ?? false;
  const plain = isNot ? (value ?? "").slice(1) : (value ?? "");
  const put = (text: string | undefined, not: boolean) => change(text ? (not ? `!${text}` : text) : undefined);
  return (
    <span className={styles.negatable}>
      {isBare ? (
        <SearchBox label={label} value={plain} placeholder={placeholder} onChange={(text) => put(text, isNot)} />
      ) : options === undefined ? (
        <SearchField
          label={label}
          value={plain}
          placeholder={placeholder}
          type={type}
          onChange={(text) => put(text, isNot)}
        />
      ) : (
        <label>
          {label}{" "}
          <select value={plain} onChange={(event) => put(event.target.value, isNot)}>
            <option value="">{t("all")}</option>
            {[...new Set([...options, ...(plain ? [plain] : [])])].map((one) => (
              <option key={one} value={one}>
                {cutText(nameOf(one), OPTION_MAX)}
              </option>
            ))}
          </select>
        </label>
      )}
      {plain && (
        <label>
          <input
            type="checkbox"
            checked={isNot}
            onChange={(event) => put(plain, event.target.checked)}
            aria-label={t("{label}: not this", { label })}
          />{" "}
          {t("not")}
        </label>
      )}
    </span>
  );
}
