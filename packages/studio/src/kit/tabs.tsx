import type { ReactElement, ReactNode } from "react";
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from "react-aria-components";
import { classes } from "./classes.ts";

interface TabPage<Id extends string> {
  readonly id: Id;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps<Id extends string> {
  readonly label: string;
  readonly tabs: readonly TabPage<Id>[];
  readonly value: Id;
  readonly onChange: (value: Id) => void;
  readonly className?: string;
  /** False where the page scrolls as one. */
  readonly scrolls?: boolean;
}

export function Tabs<Id extends string>(props: TabsProps<Id>): ReactElement {
  const { label, tabs, value, onChange, className, scrolls = true } = props;
  return (
    <AriaTabs
      selectedKey={value}
      onSelectionChange={(key) => onChange(String(key) as Id)}
      // What has the focus shows it; the whole of tabs and panel need not.
      className={classes("flex min-h-0 min-w-0 flex-col outline-none", className)}
    >
      <div className="flex shrink-0 items-end gap-3 border-b border-line bg-sunken px-3 pt-2">
        <TabList aria-label={label} className="flex min-w-0 gap-1 overflow-x-auto">
          {tabs.map((tab) => (
            <Tab
              key={tab.id}
              id={tab.id}
              className="-mb-px shrink-0 cursor-default rounded-t-md border border-transparent px-3 py-1.5 text-muted data-[hovered]:text-ink data-[focus-visible]:-outline-offset-2 data-[selected]:border-line data-[selected]:border-b-canvas data-[selected]:bg-canvas data-[selected]:font-semibold data-[selected]:text-ink"
            >
              {tab.label}
            </Tab>
          ))}
        </TabList>
      </div>
      {tabs.map((tab) => (
        <TabPanel key={tab.id} id={tab.id} className={classes("min-w-0 flex-1", scrolls && "min-h-0 overflow-y-auto")}>
          {tab.content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
