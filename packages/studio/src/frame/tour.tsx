import { Check } from "lucide-react";
import { type ReactElement, useEffect, useRef, useState } from "react";
import { usePreferences } from "../browser/preferences.ts";
import { tourText } from "../i18n/tour.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { classes, floating } from "../kit/classes.ts";
import { type Demo, useDemo } from "./demo.ts";
import { guideAddress } from "./guide-address.ts";
import { navigate, useRoute } from "./location.tsx";
import { pathTo } from "./routes.ts";
import { type Deed, deeds, nextDeed, useTourState } from "../browser/tour-state.ts";

/** Four things that a new user does with the demo, until they are done or skipped once. It begins on Home. */
export function Tour(): ReactElement | null {
  const isDone = usePreferences((state) => state.tourIsDone);
  const route = useRoute();
  const isAtHome = route?.name === "home";
  const [hasBegun, setHasBegun] = useState(false);
  if (isDone || (!hasBegun && !isAtHome)) return null;
  return <TourCard onBegin={() => setHasBegun(true)} />;
}

function end(): void {
  usePreferences.getState().set({ tourIsDone: true });
  document.getElementById("page-heading")?.focus();
}

/** Where a deed is done. */
function placeOf(deed: Deed, { preset, chat }: Demo): string {
  return deed === "depth" ? pathTo("compose", { preset }, { source: `chat:${chat}` }) : pathTo("chats", { key: chat });
}

/** On a small screen it stands below the page, so that it hides nothing that is to be pressed. */
const look =
  "flex flex-col gap-2 p-4 outline-none max-md:shrink-0 max-md:rounded-none max-md:border-x-0 max-md:border-b-0 md:fixed md:bottom-3 md:left-[5.25rem] md:z-30 md:w-64";

function TourCard({ onBegin }: { readonly onBegin: () => void }): ReactElement {
  const text = useText(tourText);
  const { step, isDone } = useTourState();
  const openDemo = useDemo();
  const card = useRef<HTMLElement>(null);
  useEscape(card);
  useEffect(() => card.current?.focus({ preventScroll: true }), []);
  const deed = deeds[step] ?? "back";
  const { title, body, done } = text.deeds[deed];
  const isLast = step === deeds.length - 1;
  const go = async (to: Deed): Promise<void> => {
    onBegin();
    const demo = await openDemo();
    if (demo) navigate(placeOf(to, demo));
  };
  const goOn = (): void => {
    nextDeed();
    const next = deeds[step + 1];
    // The reply that is asked about stands where one is.
    if (next !== undefined && next !== "why") void go(next);
  };
  return (
    <section ref={card} role="dialog" aria-label={text.label} tabIndex={-1} className={classes(floating, look)}>
      <p className="text-xs text-muted">{text.progress(step + 1, deeds.length)}</p>
      <h2 className="text-base font-semibold">{title}</h2>
      <div aria-live="polite" data-deed={deed} data-done={isDone || undefined}>
        {isDone ? (
          <p className="flex gap-2">
            <Check aria-hidden size={16} className="mt-0.5 shrink-0 text-good" />
            <span>{done}</span>
          </p>
        ) : (
          <p>{body}</p>
        )}
      </div>
      {isDone && isLast && <GuideLink />}
      <div className="mt-1 flex flex-wrap items-center gap-2">
        {!(isDone && isLast) && (
          <Button look="quiet" size="small" onPress={end}>
            {text.skip}
          </Button>
        )}
        <span className="ml-auto">
          {!isDone && (
            <Button look="primary" size="small" onPress={() => void go(deed)}>
              {text.show[deed]}
            </Button>
          )}
          {isDone && (
            <Button look="primary" size="small" onPress={isLast ? end : goOn}>
              {isLast ? text.finish : text.next}
            </Button>
          )}
        </span>
      </div>
    </section>
  );
}

function GuideLink(): ReactElement {
  const text = useText(tourText);
  return (
    <a href={guideAddress} target="_blank" rel="noreferrer" className="w-fit text-accent underline underline-offset-2">
      {text.guide}
    </a>
  );
}

/** Escape within the card ends the tour; elsewhere it belongs to the page. */
function useEscape(card: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    const place = card.current;
    const leave = (event: KeyboardEvent): void => {
      if (event.key === "Escape") end();
    };
    place?.addEventListener("keydown", leave);
    return () => place?.removeEventListener("keydown", leave);
  }, [card]);
}
