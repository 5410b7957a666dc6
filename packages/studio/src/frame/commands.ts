import { useEffect, useEffectEvent } from "react";
import { create } from "zustand";

/** Something that can be done from the palette and, when it has keys, from the keyboard. */
export interface Command {
  readonly id: string;
  readonly label: string;
  /** Such as "mod+k", "mod+shift+z", "/" or "?"; `mod` is ⌘ on a Mac and Ctrl elsewhere. */
  readonly keys?: string;
  /** Also while a text is being written. Without it, keys belong to the text field that has the focus. */
  readonly evenInText?: boolean;
  /** Stands in the sheet of shortcuts and not in the palette. */
  readonly isHidden?: boolean;
  readonly run: () => void;
}

interface Registry {
  readonly sets: readonly (readonly Command[])[];
}

const useRegistry = create<Registry>()(() => ({ sets: [] }));

/** Offers commands for as long as the component is there; each runs as the component was last rendered. */
export function useCommands(commands: readonly Command[]): void {
  const run = useEffectEvent((id: string) => commands.find((command) => command.id === id)?.run());
  const shown = JSON.stringify(commands);
  useEffect(() => {
    const set = (JSON.parse(shown) as readonly Command[]).map((command) => ({
      ...command,
      run: () => run(command.id),
    }));
    useRegistry.setState(({ sets }) => ({ sets: [...sets, set] }));
    return () => useRegistry.setState(({ sets }) => ({ sets: sets.filter((other) => other !== set) }));
  }, [shown]);
}

/** Everything that can be done now; what the page offers comes first. */
export function useAllCommands(): readonly Command[] {
  return newestFirst(useRegistry());
}

const newestFirst = ({ sets }: Registry): readonly Command[] => sets.toReversed().flat();

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** The keys as this computer's keyboard shows them. */
export function showKeys(keys: string): string {
  const names: Readonly<Record<string, string>> = isMac
    ? { mod: "⌘", shift: "⇧", alt: "⌥", up: "↑", down: "↓" }
    : { mod: "Ctrl", shift: "Shift", alt: "Alt", up: "↑", down: "↓" };
  const parts = keys.split("+").map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part));
  return parts.join(isMac ? "" : "+");
}

function keysOf(event: KeyboardEvent): string {
  const isModified = isMac ? event.metaKey : event.ctrlKey;
  const key = event.key.toLowerCase().replace("arrow", "");
  // Signs such as ? are typed with Shift on some keyboards and without on others.
  const hasShift = event.shiftKey && (isModified || event.altKey || !/^[^a-z0-9]$/.test(key));
  return [isModified && "mod", hasShift && "shift", event.altKey && "alt", key].filter(Boolean).join("+");
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, select"))
  );
}

/** Runs commands by their keys. Stands once in the frame. */
export function useCommandKeys(): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      // A list below a text field is handed a copy of each key, which is not typed anywhere.
      if (event.defaultPrevented || event.isComposing || !event.isTrusted) return;
      const keys = keysOf(event);
      // Rows of lists keep keys to themselves: those with a modifier, and all that are pressed in rows, are taken before.
      const isEarly =
        keys.length > 1 || (event.target instanceof Element && event.target.closest("[role=row]") !== null);
      if (isEarly !== (event.eventPhase === Event.CAPTURING_PHASE)) return;
      const isInText = isWriting(event.composedPath()[0] ?? event.target);
      const commands = newestFirst(useRegistry.getState());
      const command = commands.find((one) => one.keys === keys && (!isInText || one.evenInText));
      if (!command) return;
      event.preventDefault();
      command.run();
    };
    document.addEventListener("keydown", listen);
    document.addEventListener("keydown", listen, true);
    return () => {
      document.removeEventListener("keydown", listen);
      document.removeEventListener("keydown", listen, true);
    };
  }, []);
}
