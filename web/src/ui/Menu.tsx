/** A menu of acts and links below a button, with the keys of menus: arrows, letters, Home, End, Escape. */

import {
  Menu as Box,
  MenuButton,
  MenuGroup as Group,
  MenuGroupLabel,
  MenuItem as Item,
  MenuProvider,
  MenuSeparator as Separator,
} from "@ariakit/react/menu";
import type { ReactNode } from "react";
import { buttonClass } from "./Button";
import { type Icon, MoreIcon } from "./icons";
import styles from "./menu.module.css";

interface MenuProps {
  /** The button has an icon alone: its name is for screen readers and the pointer. */
  name: string;
  /** Without one: three dots. */
  icon?: Icon;
  isSmall?: boolean;
  children: ReactNode;
}

export function Menu({ name, icon: Sign = MoreIcon, isSmall, children }: MenuProps) {
  return (
    <MenuProvider placement="bottom-end">
      <MenuButton className={buttonClass("quiet", isSmall)} aria-label={name} title={name}>
        <Sign size={16} strokeWidth={1.75} aria-hidden="true" />
      </MenuButton>
      <Box className={styles.menu} gutter={4} overflowPadding={8} portal unmountOnHide aria-label={name}>
        {children}
      </Box>
    </MenuProvider>
  );
}

interface MenuItemProps {
  children: ReactNode;
  icon?: Icon;
  onSelect?: () => void;
  /** The item is this element, a link: `<Link to=… />` or `<a href=… />`. */
  render?: React.ReactElement;
  isDangerous?: boolean;
  disabled?: boolean;
  /** Why it is disabled. */
  why?: string;
}

export function MenuItem({ children, icon: Sign, onSelect, render, isDangerous, disabled, why }: MenuItemProps) {
  return (
    <Item
      className={isDangerous ? `${styles.item} ${styles.danger}` : styles.item}
      render={render}
      disabled={disabled}
      accessibleWhenDisabled
      title={disabled ? why : undefined}
      onClick={disabled ? undefined : onSelect}
    >
      {Sign && <Sign size={16} strokeWidth={1.75} aria-hidden="true" />}
      <span>
        {children}
        {disabled && why && <span className={styles.why}>{why}</span>}
      </span>
    </Item>
  );
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Group className={styles.group}>
      <MenuGroupLabel className={styles.label}>{label}</MenuGroupLabel>
      {children}
    </Group>
  );
}

export function MenuSeparator() {
  return <Separator className={styles.separator} />;
}
