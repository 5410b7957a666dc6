import { useEffect } from "react";
import { hasWords } from "../api/words.ts";

/** A button of the page that is open, as the palette offers it. */
export interface PageAction {
  readonly label: string;
  readonly run: () => void;
}

/** Something that the page shows many of, such as a template: found by its name, or else by its text. */
export interface PageItem extends PageAction {
  readonly id: string;
  readonly text: string;
}

let listItems: (() => readonly PageItem[]) | undefined;

/** Lets the palette find what the page shows many of, for as long as the component is there. */
export function usePageItems(list: () => readonly PageItem[]): void {
  useEffect(() => {
    listItems = list;
    return () => {
      if (listItems === list) listItems = undefined;
    };
  }, [list]);
}

/** Those with all of the words: the ones that are called so come first. */
export function findPageItems(typed: string, limit: number): readonly PageItem[] {
  const found = (listItems?.() ?? []).filter(({ label, text }) => hasWords(`${label} ${text}`, typed));
  return found
    .toSorted((a, b) => Number(hasWords(b.label, typed)) - Number(hasWords(a.label, typed)))
    .slice(0, limit)
    .map((item) => ({ ...item, run: () => afterClosing(item.run) }));
}

const maxActions = 300;

/**
 * Everything that can be pressed on the page now, by its name. What many rows have alike (to copy, to pin) is left to the rows:
 * its name does not say which is meant.
 */
export function pageActions(): readonly PageAction[] {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>("#page button:not(:disabled)")].filter(
    (button) => button.offsetParent !== null && button.closest("[role=listbox], [role=grid]") === null,
  );
  const named = new Map<string, HTMLButtonElement | undefined>();
  for (const button of buttons) {
    const label = nameOf(button);
    if (label !== "") named.set(label, named.has(label) ? undefined : button);
  }
  return [...named]
    .flatMap(([label, button]) => (button ? [{ label, run: () => press(button) }] : []))
    .slice(0, maxActions);
}

function nameOf(button: HTMLButtonElement): string {
  const name = button.getAttribute("aria-label") ?? button.innerText;
  return name.replaceAll(/\s+/g, " ").trim();
}

function press(button: HTMLButtonElement): void {
  afterClosing(() => {
    button.focus();
    pressFocused(button);
  });
}

/** In the frame after the next: in the next one the palette, which is closing, gives the focus back. */
function afterClosing(run: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(run));
}

/** As the keyboard does it: after a click that nobody made, the kit's dialogs leave the focus where it was. */
function pressFocused(button: HTMLButtonElement): void {
  if (!button.hasAttribute("data-react-aria-pressable")) return button.click();
  for (const type of ["keydown", "keyup"])
    button.dispatchEvent(new KeyboardEvent(type, { key: "Enter", bubbles: true }));
}
