/** The filters that hold: each can be turned round and taken away. A filter is added by choosing one of its values. */

import { t } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { Button } from "../../ui/Button";
import { Field } from "../../ui/Field";
import { CloseIcon } from "../../ui/icons";
import { cutText } from "../LongText";
import styles from "./filters.module.css";

const OPTION_MAX = 100;

export interface Chip {
  /** Name of the filter in the address. */
  field: string;
  label: string;
  /** The value; undefined for a filter that is a yes or a no. */
  value?: string;
  text?: string;
  isNot: boolean;
  /** The filter has no opposite. */
  isFixed?: boolean;
  /** The address has one text, with `!` before it for the opposite. */
  isText?: boolean;
}

export interface FilterChipsProps {
  chips: Chip[];
  turn: (chip: Chip) => void;
  remove: (chip: Chip) => void;
  clear: () => void;
}

export function FilterChips({ chips, turn, remove, clear }: FilterChipsProps) {
  if (chips.length === 0) return null;
  return (
    <div className={styles.chipsLine}>
      <ul className={styles.chips} aria-label={t("Filters that hold")}>
        {chips.map((chip) => {
          const text = describe(chip);
          return (
            <li
              key={`${chip.field} ${chip.value ?? ""} ${chip.isNot}`}
              className={chip.isNot ? `${styles.chip} ${styles.not}` : styles.chip}
            >
              {chip.isFixed ? (
                <span className="name">{text}</span>
              ) : (
                <button
                  type="button"
                  title={t("Turn the filter round")}
                  aria-label={t("Turn round: {filter}", { filter: text })}
                  onClick={() => turn(chip)}
                >
                  {text}
                </button>
              )}
              <button
                type="button"
                aria-label={t("Take away: {filter}", { filter: text })}
                onClick={() => remove(chip)}
              >
                <CloseIcon size={12} aria-hidden="true" />
              </button>
            </li>
          );
        })}
        <li>
          <Button look="quiet" isSmall onClick={clear}>
            {t("Clear all filters")}
          </Button>
        </li>
      </ul>
    </div>
  );
}

function describe(chip: Chip): string {
  if (chip.value === undefined) return chip.isNot ? t("not: {filter}", { filter: chip.label }) : chip.label;
  const value = cutText(chip.text ?? chip.value);
  return chip.isNot
    ? t("{filter} is not {value}", { filter: chip.label, value })
    : t("{filter} is {value}", { filter: chip.label, value });
}

export interface AddFilterProps {
  label: string;
  options: { value: string; text?: string; count?: number }[];
  add: (value: string) => void;
}

export function AddFilter({ label, options, add }: AddFilterProps) {
  return (
    <Field label={label}>
      {(control) => (
        <select
          {...control}
          value=""
          onChange={(event) => {
            if (event.target.value) add(event.target.value);
          }}
        >
          <option value="">{t("any")}</option>
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.count === undefined
                ? cutText(one.text ?? one.value, OPTION_MAX)
                : `${cutText(one.text ?? one.value, OPTION_MAX)} (${formatCount(one.count)})`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
