import { type ReactElement, Suspense, lazy, useMemo } from "react";
import { create } from "zustand";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Dialog } from "../kit/dialog.tsx";
import { type Command, useCommandKeys, useCommands } from "./commands.ts";
import { pageList } from "./page-list.tsx";
import { usePreferences, useTheme } from "./preferences.ts";
import { ShortcutList } from "./shortcut-list.tsx";
import { navigate } from "./navigation-state.ts";

const Palette = lazy(() => import("./palette.tsx").then((m) => ({ default: m.Palette })));

type Overlay = "none" | "palette" | "shortcuts";

const useOverlay = create<{ readonly open: Overlay }>()(() => ({ open: "none" }));

export function openOverlay(open: Overlay): void {
  useOverlay.setState({ open });
}

/** Goes to the search of the page, where it has one. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>("[data-page-search]")?.focus();
}

function useFrameCommands(): void {
  const text = useText(frameText);
  const isDark = useTheme() === "dark";
  const { language, set } = usePreferences();
  const commands = useMemo(
    (): readonly Command[] => [
      {
        id: "palette",
        label: text.search,
        keys: "mod+k",
        evenInText: true,
        isHidden: true,
        run: () => openOverlay("palette"),
      },
      { id: "search", label: text.searchPage, keys: "/", run: focusSearch },
      { id: "shortcuts", label: text.shortcuts, keys: "?", run: () => openOverlay("shortcuts") },
      {
        id: "theme",
        label: isDark ? text.toLight : text.toDark,
        run: () => set({ theme: isDark ? "light" : "dark" }),
      },
      {
        id: "language",
        label: text.switchLanguage,
        run: () => set({ language: language === "en" ? "zh" : "en" }),
      },
      { id: "tour", label: text.tour, run: () => (set({ tourIsDone: false }), navigate(pageList[0]?.href ?? "/")) },
    ],
    [text, isDark, language, set],
  );
  useCommands(commands);
  useCommandKeys();
}

/** What may lie above every page: the palette and the sheet of shortcuts. */
export function Overlays(): ReactElement {
  const text = useText(frameText);
  const open = useOverlay((state) => state.open);
  useFrameCommands();
  const close = (): void => openOverlay("none");
  return (
    <>
      {open === "palette" && (
        <Suspense>
          <Palette isOpen onClose={close} />
        </Suspense>
      )}
      <Dialog title={text.shortcuts} isOpen={open === "shortcuts"} onClose={close}>
        <ShortcutList />
      </Dialog>
    </>
  );
}
