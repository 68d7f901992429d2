/** A field that offers what fits to what is typed: for a choice of many values. */

import {
  Combobox as Input,
  ComboboxItem,
  ComboboxLabel,
  ComboboxPopover,
  ComboboxProvider,
} from "@ariakit/react/combobox";
import { useMemo, useState } from "react";
import { t } from "../state/language";
import styles from "./combobox.module.css";

const SHOWN_MAX = 200;

interface Props {
  label: string;
  value: string;
  values: readonly string[];
  placeholder?: string;
  /** For a toolbar: screen readers alone have the label. */
  isBare?: boolean;
  /** An empty text: nothing is chosen. */
  choose: (value: string) => void;
}

export function Combobox({ label, value, values, placeholder, isBare, choose }: Props) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  const fitting = useMemo(() => {
    const text = typed.toLowerCase();
    return (typed === value ? values : values.filter((name) => name.toLowerCase().includes(text))).slice(0, SHOWN_MAX);
  }, [typed, value, values]);
  return (
    <ComboboxProvider
      value={typed}
      setValue={(text) => {
        setTyped(text);
        if (text === "" && value !== "") choose("");
      }}
      selectedValue={value}
      setSelectedValue={(chosen) => {
        setTyped(chosen as string);
        choose(chosen as string);
      }}
    >
      <div className={styles.field}>
        <ComboboxLabel className={isBare ? "unseen" : styles.label}>{label}</ComboboxLabel>
        <Input
          className={styles.input}
          placeholder={placeholder}
          autoSelect
          showOnClick
          onBlur={() => setTyped(value)}
        />
      </div>
      <ComboboxPopover className={styles.list} gutter={4} sameWidth portal unmountOnHide>
        {fitting.map((name) => (
          <ComboboxItem key={name} value={name} className={styles.item} />
        ))}
        {fitting.length === 0 && <p className={styles.none}>{t("Nothing fits.")}</p>}
      </ComboboxPopover>
    </ComboboxProvider>
  );
}
