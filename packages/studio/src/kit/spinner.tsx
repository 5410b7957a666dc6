import type { ReactElement } from "react";
import { ProgressBar } from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";

/** Waiting, without a number; says so to assistive technology too. */
export function Spinner({ label }: { readonly label?: string }): ReactElement {
  const text = useText(frameText);
  return (
    <ProgressBar isIndeterminate aria-label={label ?? text.loading} className="flex justify-center p-8">
      <span className="size-5 animate-spin rounded-full border-2 border-line border-t-accent" />
    </ProgressBar>
  );
}
