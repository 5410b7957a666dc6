import { type ReactElement, Suspense, lazy, useEffect } from "react";
import { create } from "zustand";
import { switchLanguage, switchTheme, useTheme } from "../browser/preferences.ts";
import { showKeys, useAllCommands, useCommandKeys, useCommands } from "./commands.ts";
import { keepEarlyKeys } from "./early-keys.ts";
import { navigate } from "./location.tsx";
import { openNewChat } from "./new-chat.ts";
import { pathTo } from "./routes.ts";
import { restartTour } from "../browser/tour-state.ts";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Dialog } from "../kit/dialog.tsx";

const loadPalette = () => import("./palette.tsx");
const Palette = lazy(() => loadPalette().then((m) => ({ default: m.Palette })));

/** How long a page may load in peace, in ms. */
const peace = 1500;

/** Has the palette at hand before it is asked for. */
function usePaletteAtHand(): void {
  useEffect(() => {
    // If it cannot be had now, it is loaded when it is opened.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), peace);
    return () => clearTimeout(timer);
  }, []);
}

type Overlay = "none" | "palette" | "shortcuts";

const useOverlay = create<{ readonly open: Overlay }>()(() => ({ open: "none" }));

export function openOverlay(open: Overlay): void {
  if (open === "palette" && useOverlay.getState().open !== "palette") keepEarlyKeys(() => openOverlay("none"));
  useOverlay.setState({ open });
}

/** Goes to the search of the page, where it has one. */
function focusSearch(): void {
  document.querySelector<HTMLInputElement>("[data-page-search]")?.focus();
}

export function startTour(): void {
  restartTour();
  navigate(pathTo("home", {}));
}

function useFrameCommands(): void {
  const text = useText(frameText);
  const theme = useTheme();
  useCommands([
    {
      id: "palette",
      label: text.search,
      keys: "mod+k",
      evenInText: true,
      isHidden: true,
      run: () => openOverlay("palette"),
    },
    { id: "search", label: text.searchPage, keys: "/", run: focusSearch },
    {
      id: "new-preset",
      label: text.newPreset,
      run: () => navigate(pathTo("compose", {}, { new: "simple" })),
    },
    { id: "new-chat", label: text.newChat, keys: "alt+n", evenInText: true, run: openNewChat },
    { id: "shortcuts", label: text.shortcuts, keys: "?", run: () => openOverlay("shortcuts") },
    { id: "theme", label: theme === "dark" ? text.toLight : text.toDark, run: () => switchTheme(theme) },
    { id: "language", label: text.switchLanguage, run: switchLanguage },
    { id: "tour", label: text.tour, run: startTour },
  ]);
  useCommandKeys();
}

/** What may lie above every page: the palette and the sheet of shortcuts. */
export function Overlays(): ReactElement {
  const text = useText(frameText);
  const open = useOverlay((state) => state.open);
  useFrameCommands();
  usePaletteAtHand();
  const close = (): void => openOverlay("none");
  return (
    <>
      {open === "palette" && (
        <Suspense>
          <Palette onClose={close} />
        </Suspense>
      )}
      {open === "shortcuts" && (
        <Dialog title={text.shortcuts} onClose={close}>
          <ShortcutList />
        </Dialog>
      )}
    </>
  );
}

/** The keys that do something now. */
export function ShortcutList(): ReactElement {
  // One thing may have two keys.
  const keysOf = new Map<string, readonly string[]>();
  for (const { label, keys } of useAllCommands()) {
    if (keys) keysOf.set(label, [...(keysOf.get(label) ?? []), keys]);
  }
  return (
    <dl className="grid grid-cols-[1fr_auto] gap-x-6">
      {[...keysOf].map(([label, all]) => (
        <div key={label} className="col-span-2 grid grid-cols-subgrid items-center border-b border-line py-1.5">
          <dt>{label}</dt>
          <dd className="flex justify-end gap-1.5">
            {all.map((keys) => (
              <kbd key={keys} className="rounded border border-edge bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {showKeys(keys)}
              </kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}
