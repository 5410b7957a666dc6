let typed = "";
let stop: (() => void) | undefined;

/**
 * Keeps what is typed before the field of the palette is there to take it: it may still load, and people type on at once.
 * Escape gives up.
 */
export function keepEarlyKeys(onEscape: () => void): void {
  stop?.();
  typed = "";
  const listen = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      takeEarlyKeys();
      onEscape();
    } else if (event.key === "Backspace") typed = typed.slice(0, -1);
    else if (event.key.length === 1) typed += event.key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  document.addEventListener("keydown", listen, true);
  stop = () => document.removeEventListener("keydown", listen, true);
}

function takeEarlyKeys(): string {
  stop?.();
  stop = undefined;
  const early = typed;
  typed = "";
  return early;
}

/** Ends the keeping, and puts what was typed until now into the field, as if it were typed there: the list follows such events. */
export function typeEarlyKeys(field: HTMLInputElement): void {
  // The list begins to listen a moment after the field has the focus.
  requestAnimationFrame(() => {
    const early = takeEarlyKeys();
    if (early === "") return;
    const typing = { bubbles: true, inputType: "insertText", data: early };
    field.dispatchEvent(new InputEvent("beforeinput", typing));
    field.setRangeText(early, field.value.length, field.value.length, "end");
    field.dispatchEvent(new InputEvent("input", typing));
  });
}
