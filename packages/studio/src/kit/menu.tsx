import { Ellipsis, type LucideIcon } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Separator } from "react-aria-components";
import { IconButton } from "./button.tsx";
import { classes, floating, listLine } from "./classes.ts";

export interface MenuAction {
  /** Each line of a menu has another. */
  readonly label: string;
  readonly icon?: LucideIcon;
  /** A key or a word at the right end. */
  readonly note?: ReactNode;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean;
  /** Makes the line a link of Studio. */
  readonly href?: string;
  readonly onAction?: () => void;
}

export interface MenuProps {
  readonly label: string;
  /** The button that opens the menu; without one, three dots. */
  readonly trigger?: ReactElement;
  /** Groups of lines; a rule stands between two groups. A function is asked when the menu opens. */
  readonly groups: MenuGroups | (() => MenuGroups);
}

type MenuGroups = readonly (readonly MenuAction[])[];

export function Menu({ label, trigger, groups }: MenuProps): ReactElement {
  return (
    <MenuTrigger>
      {trigger ?? <IconButton label={label} size="small" icon={Ellipsis} />}
      <Popover className={classes(floating, "min-w-44 max-w-[calc(100vw-1rem)]")}>
        <OpenMenu label={label} groups={groups} />
      </Popover>
    </MenuTrigger>
  );
}

function OpenMenu({ label, groups }: Omit<MenuProps, "trigger">): ReactElement {
  const filled = (typeof groups === "function" ? groups() : groups).filter((group) => group.length > 0);
  return (
    <AriaMenu aria-label={label} className="max-h-96 overflow-y-auto p-1 outline-none">
      {filled.flatMap((group, index) => [
        ...(index > 0 ? [<Separator key={`rule ${group[0]?.label}`} className="my-1 border-t border-line" />] : []),
        ...group.map((action) => <MenuLine key={action.label} action={action} />),
      ])}
    </AriaMenu>
  );
}

function MenuLine({ action }: { readonly action: MenuAction }): ReactElement {
  return (
    <MenuItem
      id={action.label}
      textValue={action.label}
      href={action.href}
      isDisabled={action.isDisabled}
      onAction={action.onAction}
      className={classes(listLine, action.isDangerous && "text-bad")}
    >
      {action.icon && <action.icon aria-hidden size={17} />}
      <span className="min-w-0 flex-1">{action.label}</span>
      {action.note && <span className="text-xs text-muted">{action.note}</span>}
    </MenuItem>
  );
}
