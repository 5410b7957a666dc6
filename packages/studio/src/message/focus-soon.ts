// A list that is measured as it scrolls needs a few frames until what was asked for stands in the page.
const maxFrames = 20;

/** Gives the focus to what the selector finds within an element, as soon as it is rendered. */
export function focusSoon(within: HTMLElement | null, selector: string, frame = 0): void {
  if (!within || frame > maxFrames) return;
  requestAnimationFrame(() => {
    const found = within.querySelector<HTMLElement>(selector);
    if (found) found.focus({ preventScroll: true });
    else focusSoon(within, selector, frame + 1);
  });
}
