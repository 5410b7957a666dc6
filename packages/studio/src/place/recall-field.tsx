import { type ReactElement, useState } from "react";
import { placeText } from "../i18n/place.ts";
import { useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { scrolls } from "../kit/classes.ts";
import { TextField } from "../kit/fields.tsx";
import { Form } from "../kit/form.tsx";
import { useLoaded } from "../kit/notices.tsx";

/** Asks for what was said in a place, by handle or by words; what its window still shows is marked [R2]. */
export function RecallField({ session }: { readonly session: string }): ReactElement {
  const text = useText(placeText);
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState("");
  return (
    <Form className="flex flex-col gap-2" onSubmit={() => setAsked(typed.trim())}>
      <TextField label={text.recall} description={text.recallHint} value={typed} onChange={setTyped} />
      <div>
        <Button size="small" type="submit" isDisabled={typed.trim() === ""}>
          {text.recallAsk}
        </Button>
      </div>
      {asked !== "" && <Recalled key={asked} session={session} asked={asked} onNext={setAsked} />}
    </Form>
  );
}

/** What says to a model that the rest is not an instruction; a person need not be told. */
const labelForModels = /^\[For reference[^\]\n]*\]\n/u;

interface RecalledProps {
  readonly session: string;
  readonly asked: string;
  readonly onNext: (handle: string) => void;
}

function Recalled({ session, asked, onNext }: RecalledProps): ReactElement {
  const text = useText(placeText);
  const isHandle = /^\S*§\d/u.test(asked);
  const { data, pending } = useLoaded("sessions.recall", {
    params: { id: session },
    query: isHandle ? { handle: asked } : { query: asked, scope: "archives" },
  });
  const next = data?.next;
  return (
    <>
      {pending}
      {data && (
        <p
          aria-live="polite"
          {...scrolls}
          className="max-h-96 overflow-y-auto text-sm wrap-anywhere whitespace-pre-wrap"
        >
          {data.text.replace(labelForModels, "")}
        </p>
      )}
      {next !== undefined && (
        <Button size="small" onPress={() => onNext(next)}>
          {text.recallNext}
        </Button>
      )}
    </>
  );
}
