import { Languages, type LucideIcon, Menu as MenuIcon, Moon, Search, Sun } from "lucide-react";
import type { ReactElement } from "react";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { classes } from "../kit/classes.ts";
import { Menu } from "../kit/menu.tsx";
import { Link, useRoute } from "./location.tsx";
import { type PageEntry, pageList } from "./page-list.tsx";
import { type Theme, switchLanguage, switchTheme, useTheme } from "../browser/preferences.ts";

export interface NavigationProps {
  readonly onSearch: () => void;
}

/** The rail at the left of a wide window, the bar at the foot of a narrow one. */
export function Navigation({ onSearch }: NavigationProps): ReactElement {
  const text = useText(frameText);
  const theme = useTheme();
  const first = pageList.filter(({ name }) => ["home", "compose", "chats", "inspect"].includes(name));
  return (
    <nav
      aria-label={text.pages}
      className="flex shrink-0 border-line bg-sunken max-md:order-last max-md:h-14 max-md:border-t md:w-[76px] md:flex-col md:border-r md:py-2"
    >
      <ul className="flex min-h-0 flex-1 gap-0.5 overflow-y-auto max-md:hidden md:flex-col md:px-1.5">
        {pageList.map((page) => (
          <NavigationItem key={page.name} page={page} />
        ))}
      </ul>
      <div className="flex flex-col items-center gap-1 pt-2 max-md:hidden">
        <IconButton label={`${text.search} (⌘K)`} onPress={onSearch} icon={Search} />
        <IconButton {...themeSwitch(theme, text)} onPress={() => switchTheme(theme)} />
        <Button look="quiet" size="small" aria-label={text.switchLanguage} onPress={switchLanguage}>
          {text.otherLanguage}
        </Button>
      </div>
      <ul className="flex flex-1 md:hidden">
        {first.map((page) => (
          <NavigationItem key={page.name} page={page} />
        ))}
        <li className="flex flex-1 items-center justify-center">
          <MoreMenu onSearch={onSearch} rest={pageList.filter((page) => !first.includes(page))} />
        </li>
      </ul>
    </nav>
  );
}

function NavigationItem({ page }: { readonly page: PageEntry }): ReactElement {
  const text = useText(frameText);
  const route = useRoute();
  const isCurrent = route !== undefined && page.routes.includes(route.name);
  return (
    <li className="max-md:flex-1">
      <Link
        href={page.href}
        aria-current={isCurrent ? "page" : undefined}
        className={classes(
          "flex flex-col items-center gap-0.5 rounded-md px-1 py-1.5 text-2xs -outline-offset-2",
          isCurrent ? "bg-accent-soft font-medium text-accent" : "text-muted hover:bg-line hover:text-ink",
        )}
      >
        <page.icon aria-hidden size={19} strokeWidth={1.75} />
        {text[page.name]}
      </Link>
    </li>
  );
}

/** What leads from the theme that shows to the other one. */
function themeSwitch(theme: Theme, text: typeof frameText.en): { readonly label: string; readonly icon: LucideIcon } {
  return theme === "dark" ? { label: text.toLight, icon: Sun } : { label: text.toDark, icon: Moon };
}

interface MoreMenuProps extends NavigationProps {
  readonly rest: readonly PageEntry[];
}

function MoreMenu({ rest, onSearch }: MoreMenuProps): ReactElement {
  const text = useText(frameText);
  const theme = useTheme();
  const route = useRoute();
  const isHere = rest.some(({ routes }) => route !== undefined && routes.includes(route.name));
  const pages = rest.map(({ name, href, icon }) => ({ label: text[name], href, icon }));
  return (
    <Menu
      label={text.more}
      trigger={
        <Button look="quiet">
          <span className={classes("flex items-center gap-1.5", isHere && "text-accent")}>
            <MenuIcon aria-hidden size={17} />
            {text.more}
          </span>
        </Button>
      }
      groups={[
        pages,
        [
          { label: text.search, icon: Search, onAction: onSearch },
          { ...themeSwitch(theme, text), onAction: () => switchTheme(theme) },
          { label: text.switchLanguage, icon: Languages, onAction: switchLanguage },
        ],
      ]}
    />
  );
}
