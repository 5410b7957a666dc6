import { Search, X } from "lucide-react";
import type { ReactElement } from "react";
import { SearchField as AriaSearchField, Button, Group, Input } from "react-aria-components";
import { frameText } from "../i18n/frame.ts";
import { useText } from "../i18n/use-text.ts";
import { classes, fieldBox } from "./classes.ts";

export interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onSubmit?: (value: string) => void;
  readonly placeholder?: string;
  /** The one search that the key `/` goes to. */
  readonly isPageSearch?: boolean;
  readonly className?: string;
}

export function SearchField(props: SearchFieldProps): ReactElement {
  const text = useText(frameText);
  return (
    <AriaSearchField
      aria-label={props.label}
      value={props.value}
      onChange={props.onChange}
      onSubmit={props.onSubmit}
      className={classes("group min-w-0", props.className)}
    >
      <Group className={classes(fieldBox, "flex h-8 items-center gap-2 px-2.5 focus-within:border-accent")}>
        <Search aria-hidden size={14} className="shrink-0 text-muted" />
        <Input
          data-page-search={props.isPageSearch ? "" : undefined}
          placeholder={props.placeholder ?? props.label}
          className="min-w-0 flex-1 bg-transparent outline-none [&::-webkit-search-cancel-button]:hidden"
        />
        <Button aria-label={text.dismiss} className="rounded text-muted group-data-[empty]:hidden">
          <X aria-hidden size={14} />
        </Button>
      </Group>
    </AriaSearchField>
  );
}
