import { type ReactElement, useEffect, useRef, useState } from "react";
import { tourText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { classes, floating } from "../kit/classes.ts";
import { useRoute } from "./location.tsx";
import { usePreferences } from "../browser/preferences.ts";

/** The pages that the steps speak of, in order. */
const stops = ["compose", "chats", "inspect", "import"] as const;

/** The four steps for a new user, on Home, until they are done or skipped once. */
export function Tour(): ReactElement | null {
  const isDone = usePreferences((state) => state.tourIsDone);
  const route = useRoute();
  return isDone || route?.name !== "home" ? null : <TourCard />;
}

function end(): void {
  usePreferences.getState().set({ tourIsDone: true });
  document.getElementById("page-heading")?.focus();
}

function TourCard(): ReactElement {
  const text = useText(tourText);
  const [step, setStep] = useState(0);
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    const place = card.current;
    const leave = (event: KeyboardEvent): void => {
      if (event.key === "Escape") end();
    };
    place?.addEventListener("keydown", leave);
    return () => place?.removeEventListener("keydown", leave);
  }, []);
  useEffect(() => {
    card.current?.focus();
    const item = [...document.querySelectorAll<HTMLElement>(`[data-tour=${stops[step]}]`)].find(
      (element) => element.offsetParent !== null,
    );
    if (!item) return;
    item.dataset["toured"] = "";
    return () => {
      delete item.dataset["toured"];
    };
  }, [step]);
  const { title, body } = text.steps[step] ?? { title: "", body: "" };
  const isLast = step === text.steps.length - 1;
  return (
    <section
      ref={card}
      role="dialog"
      aria-label={text.label}
      tabIndex={-1}
      className={classes(
        floating,
        "fixed z-30 flex w-80 max-w-[calc(100vw-1rem)] flex-col gap-2 p-4 max-md:right-2 max-md:bottom-16 md:top-14 md:left-24",
      )}
    >
      <p className="text-xs text-muted">{text.progress(step + 1, text.steps.length)}</p>
      <h2 className="text-base font-semibold">{title}</h2>
      <p>{body}</p>
      <div className="mt-1 flex items-center gap-2">
        {!isLast && (
          <Button look="quiet" size="small" onPress={end}>
            {text.skip}
          </Button>
        )}
        <span className="flex-1" />
        {step > 0 && (
          <Button size="small" onPress={() => setStep(step - 1)}>
            {text.back}
          </Button>
        )}
        <Button look="primary" size="small" onPress={isLast ? end : () => setStep(step + 1)}>
          {isLast ? text.done : text.next}
        </Button>
      </div>
    </section>
  );
}
