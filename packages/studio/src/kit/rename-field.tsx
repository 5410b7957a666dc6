import { type ReactElement, useRef, useState } from "react";
import { TextField } from "./fields.tsx";

interface RenameFieldProps {
  readonly "aria-label": string;
  readonly placeholder?: string;
  readonly initial: string;
  readonly maxLength?: number;
  readonly className?: string;
  /** Without a name the old one stays. */
  readonly onEnd: (name?: string) => void;
}

/** A name that is written where it stands: Enter keeps it, and so does going elsewhere; Escape does not. */
export function RenameField({ initial, onEnd, ...rest }: RenameFieldProps): ReactElement {
  const [name, setName] = useState(initial);
  // With the field goes its focus, which is not one more end.
  const isDone = useRef(false);
  const end = (kept?: string): void => {
    if (isDone.current) return;
    isDone.current = true;
    onEnd(kept);
  };
  const keep = (): void => end(name.trim());
  return (
    <TextField
      {...rest}
      autoFocus
      value={name}
      onChange={setName}
      onBlur={keep}
      onEnter={keep}
      onEscape={() => end()}
    />
  );
}
