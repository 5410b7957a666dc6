import {
  Bot,
  GripVertical,
  MessagesSquare,
  Settings2,
  SlidersHorizontal,
  SquareDashed,
  User,
  UserRound,
} from "lucide-react";
import { type ReactElement, memo, useEffect, useRef, useState } from "react";
import { Button, GridListItem } from "react-aria-components";
import { callName } from "../../../document/preset-names.ts";
import { type ShownStep, shownSteps } from "../../../document/shown-steps.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useFormats, useText } from "../../../i18n/use-text.ts";
import { IconButton } from "../../../kit/button.tsx";
import { classes } from "../../../kit/classes.ts";
import { sourceLook } from "../../../message/row-look.ts";
import { Switch } from "../../../kit/fields.tsx";
import { RenameField } from "../../../kit/rename-field.tsx";
import { useDocument, useEditor, useLink, usePlace, usePreview, useView } from "../state/editor-state.ts";
import { useRowTitle } from "./row-title.ts";
import { StepMenu } from "./step-menu.tsx";
import { StepSettings } from "./step-settings.tsx";
import { StrategyTag, colorOfStep } from "./strategy-tag.tsx";
import type { StepActions } from "./use-step-actions.ts";

export interface StepRowProps {
  readonly stepKey: string;
  readonly id: string;
  readonly index: number;
  readonly count: number;
  readonly actions: StepActions;
  /** Whether the preview builds this list; only then do steps and messages belong together. */
  readonly isInForce: boolean;
}

function StepRowOf(props: StepRowProps): ReactElement {
  const { stepKey, id, index, isInForce } = props;
  const link = useLink("step");
  return (
    <GridListItem
      id={stepKey}
      textValue={useSpokenName(index)}
      onHoverStart={() => isInForce && link(index, true)}
      onHoverEnd={() => isInForce && link(index, false)}
      data-step={id}
      data-step-index={index}
      className="rounded-md data-[dragging]:opacity-50 data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-1 data-[focus-visible]:outline-accent"
    >
      <StepCard {...props} />
    </GridListItem>
  );
}

/**
 * What a screen reader calls the line. How an unnamed text begins is read once: the kit redraws every line when one is called
 * otherwise, which would make each letter typed lag.
 */
function useSpokenName(index: number): string {
  const text = useText(composeText);
  const { recipe } = usePlace();
  const { document } = useEditor();
  const name = useDocument((state) => shownSteps(state.preset, recipe)[index]?.name);
  const [first] = useState(() => shownSteps(document.store.getState().preset, recipe)[index]);
  return name || (first ? callName(first, text.kinds) : "");
}

function StepCard({ stepKey, index, count, actions, isInForce }: StepRowProps): ReactElement | null {
  const { recipe } = usePlace();
  const step = useDocument((state) => shownSteps(state.preset, recipe)[index]);
  const isOpen = useView((state) => state.openStep === stepKey);
  const isLinked = useView((state) => isInForce && state.linkedStep === index);
  const ref = useRef<HTMLDivElement>(null);
  useBringIntoView(ref, isLinked);
  if (!step) return null;
  return (
    <div
      ref={ref}
      data-linked={isLinked || undefined}
      className={classes(
        "rounded-md border border-l-4 border-line bg-raised",
        sourceLook[colorOfStep(step)].edge,
        (isOpen || isLinked) && "border-y-accent border-r-accent",
        isLinked && "bg-accent-soft",
      )}
    >
      <StepLine step={step} count={count} actions={actions} isInForce={isInForce} isOpen={isOpen} />
      {isOpen && <StepSettings step={step} actions={actions} />}
    </div>
  );
}

interface StepLineProps {
  readonly step: ShownStep;
  readonly count: number;
  readonly actions: StepActions;
  readonly isInForce: boolean;
  readonly isOpen: boolean;
}

/** Its buttons stay as they are while what the step says changes: they are most of the work of drawing a line. */
const StepLine = memo(function StepLine({ step, count, actions, isInForce, isOpen }: StepLineProps): ReactElement {
  const text = useText(composeText);
  const name = callName(step, text.kinds);
  return (
    <div className="flex min-h-11 items-center gap-2 py-1 pr-2 pl-1">
      <DragHandle id={name} />
      <span className="w-6 shrink-0 text-right text-muted tabular-nums">{step.index + 1}</span>
      <KindIcon kind={step.kind} role={step.role} />
      <StepName step={step} actions={actions} />
      <StepTokens index={step.index} isShown={isInForce && step.enabled} />
      <Switch
        aria-label={text.enabledSwitch(name)}
        isSelected={step.enabled}
        onChange={(enabled) => actions.setEnabled(step.index, enabled)}
      />
      <SettingsButton id={name} stepKey={step.key} isOpen={isOpen} />
      <StepMenu id={name} stepKey={step.key} index={step.index} count={count} actions={actions} />
    </div>
  );
});

const DragHandle = memo(function DragHandle({ id }: { readonly id: string }): ReactElement {
  const text = useText(composeText);
  return (
    <Button
      slot="drag"
      aria-label={text.dragStep(id)}
      className="flex h-8 w-6 cursor-grab items-center justify-center rounded text-muted max-lg:hidden"
    >
      <GripVertical aria-hidden size={14} />
    </Button>
  );
});

interface SettingsButtonProps {
  readonly id: string;
  readonly stepKey: string;
  readonly isOpen: boolean;
}

const SettingsButton = memo(function SettingsButton({ id, stepKey, isOpen }: SettingsButtonProps): ReactElement {
  const text = useText(composeText);
  const { view } = useEditor();
  return (
    <IconButton
      size="small"
      label={text.settingsOf(id)}
      aria-expanded={isOpen}
      onPress={() => view.setState({ openStep: isOpen ? undefined : stepKey })}
      icon={Settings2}
    />
  );
});

/** An edit redraws only the steps that it changed. */
export const StepRow = memo(StepRowOf);

function useBringIntoView(ref: { readonly current: HTMLDivElement | null }, isLinked: boolean): void {
  const isFromMessage = useView((state) => state.linkedFrom === "message");
  useEffect(() => {
    if (isLinked && isFromMessage) ref.current?.scrollIntoView({ block: "nearest" });
  }, [ref, isLinked, isFromMessage]);
}

interface StepNameProps {
  readonly step: ShownStep;
  readonly actions: StepActions;
}

/** What it is called, where it goes, and how its text begins. */
function StepName({ step, actions }: StepNameProps): ReactElement {
  const text = useText(composeText);
  const { view } = useEditor();
  const isRenamed = useView((state) => state.renamedStep === step.key);
  const title = useRowTitle(step);
  if (isRenamed) return <NameField step={step} actions={actions} />;
  return (
    <span className="flex min-w-0 flex-1 flex-col">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        {/* A shortcut of the pointer; the menu of the step does the same. */}
        <span
          title={step.id}
          onDoubleClick={() => view.setState({ renamedStep: step.key })}
          className={classes(
            "min-w-0 truncate",
            step.isMissing && "font-mono",
            !step.enabled && "text-muted line-through",
            step.isMissing && "text-bad",
          )}
        >
          {title.name}
        </span>
        {title.handle && <span className="font-mono text-xs text-muted">{title.handle}</span>}
        {step.isMissing && <span className="text-xs text-bad">{text.missingTemplate}</span>}
        <StrategyTag strategy={step.strategy} isInherited={step.canInherit && !step.owns.strategy} />
      </span>
      {title.line && (
        <span data-testid="step-line" className="truncate text-xs text-muted">
          {title.line}
        </span>
      )}
    </span>
  );
}

function NameField({ step, actions }: StepNameProps): ReactElement {
  const text = useText(composeText);
  const { view } = useEditor();
  const { name = "" } = step;
  const rename = (wanted = name): void => {
    if (wanted !== name) actions.rename(step.index, wanted);
    view.setState({ renamedStep: undefined });
  };
  return (
    // The list listens for keys of its own; what is typed here is not meant for it.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="min-w-0 flex-1" onKeyDown={(event) => event.stopPropagation()}>
      <RenameField
        aria-label={text.nameOf(callName(step, text.kinds))}
        placeholder={callName({ ...step, name: undefined }, text.kinds)}
        initial={name}
        onEnd={rename}
      />
    </div>
  );
}

function StepTokens({ index, isShown }: { readonly index: number; readonly isShown: boolean }): ReactElement | null {
  const text = useText(composeText);
  const formats = useFormats();
  const tokens = usePreview((state) => (isShown ? state.preview?.tokensOfStep.get(index) : undefined));
  if (!tokens) return null;
  return (
    <span className="shrink-0 text-muted tabular-nums" title={text.tokens(formats.number(tokens))}>
      {formats.number(tokens)}
    </span>
  );
}

export const KindIcon = memo(function KindIcon({ kind, role }: Pick<ShownStep, "kind" | "role">): ReactElement {
  const text = useText(composeText);
  const label = kind === "message" ? text.roles[role] : text.kinds[kind];
  const Icon =
    kind === "chat_history"
      ? MessagesSquare
      : kind === "user_profile"
        ? UserRound
        : kind === "placeholder"
          ? SquareDashed
          : { system: SlidersHorizontal, user: User, assistant: Bot }[role];
  return (
    <span role="img" aria-label={label} title={label} className="shrink-0 text-muted">
      <Icon aria-hidden size={14} />
    </span>
  );
});
