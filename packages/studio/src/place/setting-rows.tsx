import type { JsonValue } from "@galley/engine";
import { ChevronRight } from "lucide-react";
import { type ReactElement, useDeferredValue, useState } from "react";
import { describeError } from "../api/describe-error.ts";
import { useApi } from "../api/use-api.ts";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Button } from "../kit/button.tsx";
import { classes } from "../kit/classes.ts";
import { Select, TextField } from "../kit/fields.tsx";
import { Form } from "../kit/form.tsx";
import { showToast } from "../kit/notices.tsx";
import { Tag } from "../kit/tag.tsx";
import {
  type SettingName,
  sayingOfSetting,
  settingFields,
  settingNames,
  settingOfText,
  textOfSetting,
} from "./setting-values.ts";
import { placeOf } from "./place-of.ts";
import { type Fill, type InForce, type SettingChange } from "./use-place.ts";

interface SettingRowsProps {
  readonly session: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly inForce: InForce;
  readonly fill: Fill | undefined;
  readonly onSave: (change: SettingChange) => Promise<void>;
}

/** Every context setting with its value and where that comes from; a press opens the field that sets it here. */
export function SettingRows({ inForce, ...rest }: SettingRowsProps): ReactElement {
  const text = useText(placeText);
  const [open, setOpen] = useState<SettingName | undefined>();
  return (
    <>
      <p className="mb-2 text-xs text-muted">{text.body}</p>
      <ul aria-label={text.table} className="flex flex-col divide-y divide-line border-y border-line">
        {settingNames.map((name) => {
          const setting = inForce.settings.find(({ key }) => key === name);
          const problem = inForce.problems.find(({ path }) => settingOfPath(path) === name);
          return (
            <li key={name} data-setting={name}>
              <SettingLine
                name={name}
                setting={setting}
                isOpen={open === name}
                onPress={() => setOpen(open === name ? undefined : name)}
              />
              {problem && open !== name && <p className="pb-1.5 text-xs text-bad">{problem.message}</p>}
              {open === name && (
                <SettingForm
                  {...rest}
                  name={name}
                  setting={setting}
                  // What names something that is gone is said at its field from the start.
                  problem={problem && withoutPath(problem.message)}
                  // Another one may be open by the time that this one is saved.
                  onClose={() => setOpen((now) => (now === name ? undefined : now))}
                />
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

type Setting = InForce["settings"][number];

interface SettingLineProps {
  readonly name: SettingName;
  readonly setting: Setting | undefined;
  readonly isOpen: boolean;
  readonly onPress: () => void;
}

function SettingLine({ name, setting, isOpen, onPress }: SettingLineProps): ReactElement {
  const text = useText(placeText);
  const formats = useFormats();
  const from = setting?.from ?? "default";
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      className="flex w-full cursor-default items-start gap-1.5 py-1.5 text-left hover:bg-sunken"
      onClick={onPress}
    >
      <ChevronRight aria-hidden size={14} className={classes("mt-0.5 shrink-0", isOpen && "rotate-90")} />
      <span className="min-w-0 flex-1">
        {text.names[name]}
        <span className="block truncate text-xs text-muted">
          {sayingOfSetting(name, setting?.value, text, formats)}
        </span>
      </span>
      <Tag isInherited={from === "default"} tone={from === "chat" || from === "session" ? "accent" : "plain"}>
        {text.sources[from]}
      </Tag>
    </button>
  );
}

interface SettingFormProps extends Omit<SettingRowsProps, "inForce"> {
  readonly name: SettingName;
  readonly setting: Setting | undefined;
  readonly problem: string | undefined;
  readonly onClose: () => void;
}

function SettingForm({ name, own, setting, problem, onSave, onClose, ...rest }: SettingFormProps): ReactElement {
  const text = useText(placeText);
  const [before] = useState(() => textOfSetting(name, own[name]));
  const [typed, setTyped] = useState(before);
  const [error, setError] = useState(problem);
  const value = settingOfText(name, typed);
  const save = async (change: SettingChange): Promise<void> => {
    try {
      await onSave(change);
      showToast({ text: text.saved });
      onClose();
    } catch (cause) {
      setError(errorAt(name, cause));
    }
  };
  const submit = (): void => void save(value === undefined ? { unset: [name] } : { context: { [name]: value } });
  const change = (to: string): void => {
    setTyped(to);
    setError(undefined);
  };
  return (
    <Form className="flex flex-col gap-2 pb-3 pl-5" onSubmit={submit}>
      <SettingField name={name} value={typed} error={error} setting={setting} onChange={change} />
      {typed !== before && value !== undefined && <ChangeCost {...rest} name={name} value={value} />}
      <div className="flex flex-wrap gap-2">
        <Button size="small" type="submit" look="primary" isDisabled={typed === before}>
          {text.save}
        </Button>
        {own[name] !== undefined && (
          <Button size="small" onPress={() => void save({ unset: [name] })}>
            {text.reset}
          </Button>
        )}
      </div>
    </Form>
  );
}

interface SettingFieldProps {
  readonly name: SettingName;
  readonly value: string;
  readonly error: string | undefined;
  readonly setting: Setting | undefined;
  readonly onChange: (value: string) => void;
}

function SettingField({ name, value, error, setting, onChange }: SettingFieldProps): ReactElement {
  const text = useText(placeText);
  const kind = settingFields[name];
  const shared = {
    label: text.names[name],
    description: (
      <>
        {text.hints[name]}
        {Object.entries(setting?.keys ?? {}).map(([key, source]) => (
          <span key={key} className="block">
            {text.inForce(key, text.sources[source])}
          </span>
        ))}
      </>
    ),
    errorMessage: error,
    isInvalid: error !== undefined,
  };
  if (Array.isArray(kind)) {
    const options = [
      { id: "", label: text.notSet },
      ...kind.map((id: keyof typeof text.values) => ({ id, label: text.values[id] })),
    ];
    return <Select {...shared} options={options} value={value} onChange={onChange} />;
  }
  return (
    <TextField
      {...shared}
      // The daemon decides; the browser must not keep a form back whose field was refused before.
      validationBehavior="aria"
      rows={kind === "lines" ? 4 : kind === "map" ? 3 : 1}
      mono={kind !== "lines"}
      placeholder={text.notSet}
      value={value}
      onChange={onChange}
    />
  );
}

interface ChangeCostProps extends Pick<SettingRowsProps, "session" | "fill"> {
  readonly name: SettingName;
  readonly value: unknown;
}

/** What the next call would have to read again that a provider may have cached, if this were saved. */
function ChangeCost({ session, fill, name, value }: ChangeCostProps): ReactElement | null {
  const text = useText(placeText);
  const { number } = useFormats();
  const asked = useDeferredValue(JSON.stringify(value));
  const body = { ...placeOf(session), context: { [name]: JSON.parse(asked) as JsonValue } };
  const { fill: changed, failure } = useApi("turns.fill", { body }).data ?? {};
  if (failure) return <p className="text-xs text-warn">{text.wouldFail(withoutPath(failure.message))}</p>;
  if (!changed || !fill) return null;
  const lost = fill.cachedPrefix - changed.cachedPrefix;
  return (
    <p role="status" data-lost={lost} className={classes("text-xs", lost > 0 ? "text-warn" : "text-muted")}>
      {text.becomes(number(changed.stats.inputTokens), number(changed.budget))}
      {lost > 0 && ` · ${text.costs(number(lost))}`}
    </p>
  );
}

/** What the daemon has refused of this setting: `body.context.targetRatio`. */
function errorAt(name: SettingName, error: unknown): string {
  const { message, path, problems = [] } = describeError(error);
  const found = [...problems, { message, path }].find((problem) => settingOfPath(problem.path) === name);
  return withoutPath(found?.message ?? message);
}

function settingOfPath(path = ""): string | undefined {
  return /(?:^|\.)context\.(\w+)/.exec(path)?.[1];
}

function withoutPath(message: string): string {
  return message.replace(/^[\w.]+: /, "");
}
