import { KeyRound } from "lucide-react";
import type { ReactElement } from "react";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Page } from "./page.tsx";

/** What a browser without a key sees: why, and the two commands that give it one. */
export function SignedOut(): ReactElement {
  const text = useText(frameText);
  return (
    <main id="page" className="flex h-full flex-col">
      <Page title={text.signInTitle}>
        <div className="flex max-w-lg flex-col gap-3">
          <KeyRound aria-hidden size={28} className="text-muted" />
          <p>{text.signInBody}</p>
          <p>{text.signInStart}</p>
          <pre className="rounded-md border border-line bg-sunken px-3 py-2 font-mono">galley up</pre>
          <p>{text.signInAgain}</p>
          <pre className="rounded-md border border-line bg-sunken px-3 py-2 font-mono">galley open</pre>
        </div>
      </Page>
    </main>
  );
}
