import type { ChatMessageRole } from "@galley/engine";
import { type KeyboardEvent, type ReactElement, type ReactNode, memo } from "react";
import { callName } from "../../../document/preset-names.ts";
import type { ShownStep } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { classes } from "../../../kit/classes.ts";
import { Checkbox, NumberField, RadioGroup } from "../../../kit/fields.tsx";
import { ContentEditor } from "./content-editor.tsx";
import { useEditor, usePlace, useView } from "../state/editor-state.ts";
import { InjectionForm } from "./injection-form.tsx";
import type { StepActions } from "./use-step-actions.ts";

export interface StepSettingsProps {
  readonly step: ShownStep;
  readonly actions: StepActions;
}

/** What a step says for itself: injection, text, role, priority; each with the way back to its template. */
export function StepSettings({ step, actions }: StepSettingsProps): ReactElement {
  const text = useText(composeText);
  const { view } = useEditor();
  const { owns } = step;
  const part = { index: step.index, canInherit: step.canInherit, actions };
  const hasText = step.kind === "message" || step.kind === "placeholder";
  // The list listens for keys of its own; what is typed here is not meant for it.
  const keep = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && !event.defaultPrevented) {
      const row = event.currentTarget.closest("[data-step]");
      view.setState({ openStep: undefined });
      row?.querySelector<HTMLElement>("button[aria-expanded=true]")?.focus();
    }
    event.stopPropagation();
  };
  return (
    // It only keeps keys and drags from the list around it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label={text.settingsOf(callName(step, text.kinds))}
      onKeyDown={keep}
      draggable
      onDragStart={(event) => {
        event.preventDefault();
        event.stopPropagation();
      }}
      className="mx-2 flex cursor-auto flex-col gap-4 border-t border-line px-1 pt-3 pb-3"
    >
      {hasText && <TextPart {...part} id={step.id} stepKey={step.key} content={step.content} isOwn={owns.content} />}
      {hasText && <RolePart {...part} role={step.role} isOwn={owns.role} />}
      <InjectionPart {...part} id={step.id} strategy={step.strategy} isOwn={owns.strategy} />
      <PriorityPart {...part} priority={step.priority} isOwn={owns.priority} />
    </div>
  );
}

// Each part is redrawn when its own value changes: a letter typed leaves the other fields as they are.

interface PartProps extends Pick<InheritableProps, "canInherit" | "isOwn"> {
  readonly index: number;
  readonly actions: StepActions;
}

type Part<Key extends keyof ShownStep> = PartProps & Pick<ShownStep, Key>;

const InjectionPart = memo(function InjectionPart(props: Part<"id" | "strategy">): ReactElement {
  const { id, strategy, index, canInherit, isOwn, actions } = props;
  return (
    <Inheritable
      isOwn={isOwn}
      canInherit={canInherit}
      onReset={() => actions.setStrategy(index, undefined, "reset injection")}
    >
      <InjectionForm
        id={id}
        strategy={strategy}
        onChange={(next, name) => actions.setStrategy(index, isEmpty(next) && !canInherit ? undefined : next, name)}
      />
    </Inheritable>
  );
});

/** In the advanced view what is typed is the step's own; the template is edited apart, for all that use it. */
const TextPart = memo(function TextPart(props: Part<"content" | "id"> & { readonly stepKey: string }): ReactElement {
  const { id, stepKey, content, index, canInherit, isOwn, actions } = props;
  const text = useText(composeText);
  const { document, view } = useEditor();
  const place = usePlace();
  const isFresh = useView((state) => state.freshStep === stepKey);
  const isOverride = canInherit && (place.view === "advanced" || isOwn);
  return (
    <Inheritable isOwn={isOwn} canInherit={canInherit} onReset={() => actions.setField(index, "content", undefined)}>
      <ContentEditor
        label={isOverride ? text.contentOverride : text.content}
        value={content}
        onChange={(next) => actions.setField(index, "content", next)}
        document={document}
        isFocused={isFresh}
      />
      {isOverride && (
        <p className="mt-1.5 flex flex-wrap items-center gap-2 text-xs text-muted">
          {text.overridesHere}
          <Button size="small" onPress={() => view.setState({ openTemplate: id })}>
            {text.editForAll}
          </Button>
        </p>
      )}
    </Inheritable>
  );
});

const RolePart = memo(function RolePart(props: Part<"role">): ReactElement {
  const { role, index, canInherit, isOwn, actions } = props;
  const text = useText(composeText);
  return (
    <Inheritable isOwn={isOwn} canInherit={canInherit} onReset={() => actions.setField(index, "role", undefined)}>
      <RoleField
        label={canInherit ? text.roleOverride : text.role}
        value={role}
        onChange={(next) => actions.setField(index, "role", next)}
      />
    </Inheritable>
  );
});

const PriorityPart = memo(function PriorityPart(props: Part<"priority">): ReactElement {
  const { priority, index, canInherit, isOwn, actions } = props;
  return (
    <Inheritable isOwn={isOwn} canInherit={canInherit} onReset={() => actions.setField(index, "priority", undefined)}>
      <PriorityField value={priority} onChange={(next) => actions.setField(index, "priority", next)} />
    </Inheritable>
  );
});

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

interface InheritableProps {
  readonly isOwn: boolean;
  readonly canInherit: boolean;
  readonly onReset: () => void;
  readonly children: ReactNode;
}

/** Inherited is grey and dashed; overridden is solid, with Reset. */
function Inheritable({ isOwn, canInherit, onReset, children }: InheritableProps): ReactElement {
  const text = useText(composeText);
  // The children stand at the same place of both: the first letter typed may change which it is, and must not cost the focus.
  if (!canInherit)
    return (
      <div>
        {children}
        {null}
      </div>
    );
  return (
    <div
      data-inheritance={isOwn ? "overridden" : "inherited"}
      className={classes(
        "@container relative rounded-md border p-2",
        isOwn ? "border-accent" : "border-dashed border-edge",
      )}
    >
      {children}
      <div className="mt-2 flex items-center gap-2 @md:absolute @md:top-1 @md:right-2 @md:mt-0 @md:h-8">
        <span className={isOwn ? "text-xs font-semibold text-accent" : "text-xs text-muted"}>
          {isOwn ? text.overridden : text.inherited}
        </span>
        {isOwn && (
          <Button size="small" onPress={onReset}>
            {text.reset}
          </Button>
        )}
      </div>
    </div>
  );
}

export interface RoleFieldProps {
  readonly label: string;
  readonly value: ChatMessageRole;
  readonly onChange: (role: ChatMessageRole) => void;
}

export function RoleField({ label, value, onChange }: RoleFieldProps): ReactElement {
  const text = useText(composeText);
  return (
    <RadioGroup<ChatMessageRole>
      label={label}
      value={value}
      onChange={onChange}
      options={{ system: text.roles.system, user: text.roles.user, assistant: text.roles.assistant }}
    />
  );
}

export interface PriorityFieldProps {
  readonly value: number | undefined;
  readonly onChange: (priority: number | undefined) => void;
}

export function PriorityField({ value, onChange }: PriorityFieldProps): ReactElement {
  const text = useText(composeText);
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2">
      <div className="flex flex-col gap-1">
        <Checkbox isSelected={value !== undefined} onChange={(isOn) => onChange(isOn ? 0 : undefined)}>
          {text.priority}
        </Checkbox>
        <span className="text-xs text-muted">{value === undefined ? text.priorityNone : text.priorityHint}</span>
      </div>
      {value !== undefined && (
        <NumberField
          label={text.priorityValue}
          value={value}
          onChange={(next) => Number.isFinite(next) && onChange(next)}
          step={1}
        />
      )}
    </div>
  );
}
