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
import { type ButtonLook, buttonClass } from "./Button";
import { ExpandIcon, type Icon, MoreIcon } from "./icons";
import styles from "./menu.module.css";

interface MenuProps {
  /** Nothing: the icon alone, three dots without one, named by `name`. */
  label?: ReactNode;
  name?: string;
  icon?: Icon;
  look?: ButtonLook;
  isSmall?: boolean;
  placement?: "bottom-start" | "bottom-end";
  children: ReactNode;
}

export function Menu({
  label,
  name,
  icon: Sign,
  look = label === undefined ? "quiet" : "plain",
  isSmall,
  placement = "bottom-end",
  children,
}: MenuProps) {
  return (
    <MenuProvider placement={placement}>
      <MenuButton
        className={buttonClass(look, isSmall)}
        aria-label={name}
        title={label === undefined ? name : undefined}
      >
        {Sign && <Sign size={16} strokeWidth={1.75} aria-hidden="true" />}
        {label === undefined ? !Sign && <MoreIcon size={16} aria-hidden="true" /> : label}
        {label !== undefined && <ExpandIcon size={14} aria-hidden="true" className={styles.arrow} />}
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
