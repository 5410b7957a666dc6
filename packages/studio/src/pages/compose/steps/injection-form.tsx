import { type InjectionStrategy, getAvailableAnchors } from "@galley/engine";
import { type ReactElement, useMemo, useState } from "react";
import type { EditName } from "../../../i18n/compose-edits.ts";
import { did } from "../../../browser/tour-state.ts";
import { presetCallNames } from "../../../document/preset-names.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { NumberField, RadioGroup, Select } from "../../../kit/fields.tsx";
import { advancedForm } from "../../../document/shown-steps.ts";
import { useDocument } from "../state/editor-state.ts";
import { type InjectionMode, modeOf } from "./strategy-tag.tsx";

export interface InjectionFormProps {
  readonly strategy: InjectionStrategy | undefined;
  /** Its own id, which cannot be its anchor. */
  readonly id: string;
  readonly onChange: (strategy: InjectionStrategy, name: EditName) => void;
}

/** Where a message goes: with the list, by depth, or beside an anchor. Only the fields of the chosen mode are shown. */
export function InjectionForm({ strategy, id, onChange }: InjectionFormProps): ReactElement {
  const text = useText(composeText);
  const mode = modeOf(strategy);
  const anchors = useAnchors(id);
  const choose = (next: InjectionMode): void => {
    const { order, mode: kind } = strategy ?? {};
    const kept = { ...(order === undefined ? {} : { order }), ...(kind === undefined ? {} : { mode: kind }) };
    if (next === "list") onChange({}, "follow list");
    else if (next === "depth") onChange({ ...kept, depth: 0 }, "set depth");
    else onChange({ ...kept, anchorTarget: anchors[0] ?? "chat_history", anchorPosition: "after" }, "set anchor");
  };
  return (
    <div className="flex flex-col gap-3">
      <RadioGroup<InjectionMode>
        label={text.injectionMode}
        value={mode}
        onChange={choose}
        options={{ list: text.followList, depth: text.depth, anchor: text.anchor }}
      />
      {mode !== "list" && (
        <div className="flex flex-wrap items-start gap-x-6 gap-y-3">
          {mode === "depth" && <DepthField strategy={strategy} onChange={onChange} />}
          {mode === "anchor" && <AnchorFields strategy={strategy} anchors={anchors} onChange={onChange} />}
          <FlightFields strategy={strategy} onChange={onChange} />
        </div>
      )}
    </div>
  );
}

/** The anchors of the preset as it stands now: a new placeholder is among them at once [C8]. */
function useAnchors(id: string): readonly string[] {
  const sources = useDocument(({ preset }) => preset.presetMessages ?? advancedForm(preset).messageTemplates);
  return useMemo(() => getAvailableAnchors(sources ?? []).filter((anchor) => anchor !== id), [sources, id]);
}

type FieldProps = Pick<InjectionFormProps, "strategy" | "onChange">;

const maxDepth = 99;

/** Takes what is typed, and says why it is refused before anything is changed. */
function DepthField({ strategy, onChange }: FieldProps): ReactElement {
  const text = useText(composeText);
  const depth = strategy?.depth ?? 0;
  const [refused, setRefused] = useState<number>();
  const set = (value: number): void => {
    if (!Number.isInteger(value) || value < 0 || value > maxDepth) setRefused(value);
    else {
      setRefused(undefined);
      if (value === depth) return;
      onChange({ ...strategy, depth: value }, "set depth");
      did("depth");
    }
  };
  return (
    <NumberField
      label={text.depth}
      description={text.depthHint}
      value={refused ?? depth}
      onChange={set}
      isInvalid={refused !== undefined}
      errorMessage={text.depthRange}
      step={1}
      formatOptions={{ maximumFractionDigits: 0, useGrouping: false }}
      className="max-w-56"
    />
  );
}

function AnchorFields({
  strategy,
  anchors,
  onChange,
}: FieldProps & { readonly anchors: readonly string[] }): ReactElement {
  const text = useText(composeText);
  const target = strategy?.anchorTarget ?? "";
  const isMissing = !anchors.includes(target);
  const names = useDocument((state) => presetCallNames(state.preset, text.kinds));
  const options = [...anchors, ...(isMissing ? [target] : [])].map((anchor) => ({
    id: anchor,
    label: names.get(anchor) ?? anchor,
    ...(isMissing && anchor === target ? { note: text.missingAnchor(anchor) } : {}),
  }));
  return (
    <>
      <Select
        label={text.target}
        options={options}
        value={target}
        onChange={(anchorTarget) => onChange({ ...strategy, anchorTarget }, "set anchor")}
        isInvalid={isMissing}
        errorMessage={text.missingAnchor(target)}
        className="w-56 max-w-full"
      />
      <RadioGroup
        label={text.side}
        value={strategy?.anchorPosition ?? "after"}
        onChange={(anchorPosition) => onChange({ ...strategy, anchorPosition }, "set anchor")}
        options={{ before: text.before, after: text.after }}
      />
    </>
  );
}

function FlightFields({ strategy, onChange }: FieldProps): ReactElement {
  const text = useText(composeText);
  return (
    <>
      <NumberField
        label={text.order}
        description={text.orderHint}
        value={strategy?.order ?? 100}
        onChange={(order) => Number.isFinite(order) && onChange({ ...strategy, order }, "set order")}
        step={1}
        className="max-w-56"
      />
      {strategy?.depth !== undefined && (
        <RadioGroup
          label={text.injectionKind}
          value={strategy.mode ?? "floating"}
          onChange={(mode) => onChange({ ...strategy, mode }, "set injection")}
          options={{ floating: text.floating, frozen: text.frozen }}
        />
      )}
    </>
  );
}
