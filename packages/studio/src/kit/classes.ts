/** Joins class names and leaves out what is not given. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}

/** The look of everything that a value is typed or chosen in. */
export const fieldBox =
  "rounded-md border border-edge bg-canvas text-ink data-[disabled]:opacity-50 data-[invalid]:border-bad data-[focused]:border-accent data-[focused]:outline-2 data-[focused]:-outline-offset-1 data-[focused]:outline-accent";

/** What scrolls can be come to by keyboard, though it does nothing else. */
export const scrolls = { tabIndex: 0 } as const;

export const labelText = "text-xs text-muted";

/** A label beside its box, on a phone above it. */
export const besideOnWide = "flex items-center gap-2 max-md:flex-col max-md:items-start max-md:gap-1";

/** The look of what floats above the page: menus, lists, dialogs. */
export const floating = "rounded-lg border border-line bg-canvas text-ink shadow-float outline-none";

/** The look of one line of a menu or list. */
export const listLine =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none data-[disabled]:opacity-50 data-[focused]:bg-accent-soft data-[hovered]:bg-sunken data-[focus-visible]:outline-2 data-[focus-visible]:-outline-offset-2";
