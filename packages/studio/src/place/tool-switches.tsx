import type { ReactElement } from "react";
import { placeText } from "../i18n/place.ts";
import { useFormats, useText } from "../i18n/use-text.ts";
import { Switch } from "../kit/fields.tsx";
import { showProblem } from "../kit/notices.tsx";
import { toolChange } from "./tool-change.ts";
import type { Fill, SettingChange } from "./use-place.ts";

interface ToolSwitchesProps {
  readonly fill: Fill;
  readonly onSave: (change: SettingChange) => Promise<void>;
}

type FillTool = Fill["tools"][number];

const groups = ["chat", "handover", "recall", "pins", "canvas", undefined] as const;

/** The tools by who provides them, with what they cost. Galley's own have a switch; what others bring has none here. */
export function ToolSwitches({ fill, onSave }: ToolSwitchesProps): ReactElement {
  const text = useText(placeText);
  const { number } = useFormats();
  const set = (tool: FillTool, isOn: boolean): void => {
    onSave(toolChange(fill, tool, isOn)).catch(showProblem);
  };
  return (
    <div className="flex flex-col gap-3">
      {groups.map((group) => {
        const tools = fill.tools.filter((tool) => tool.group === group);
        if (tools.length === 0) return null;
        const sum = tools.reduce((tokens, tool) => tokens + (tool.isOffered ? tool.tokens : 0), 0);
        const label = group === undefined ? text.otherTools : text.toolGroups[group];
        return (
          <section key={label} aria-label={label}>
            <h3 className="flex text-xs text-muted">
              <span className="flex-1">{label}</span>
              <span className="tabular-nums">{number(sum)}</span>
            </h3>
            <ul className="mt-1 flex flex-col gap-1">
              {tools.map((tool) => (
                <li key={tool.name} className="flex items-center gap-2 text-xs">
                  {group === undefined ? (
                    <span className="min-w-0 flex-1 font-mono wrap-anywhere">{tool.name}</span>
                  ) : (
                    <span className="min-w-0 flex-1">
                      <Switch isSelected={tool.isOffered} onChange={(isOn) => set(tool, isOn)}>
                        <span className="font-mono wrap-anywhere">{tool.name}</span>
                      </Switch>
                    </span>
                  )}
                  <span className="text-muted tabular-nums">{number(tool.tokens)}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
      <p className="text-xs text-muted">{text.toolsHint}</p>
    </div>
  );
}
