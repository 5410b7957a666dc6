import { type ReactElement, type ReactNode, useState } from "react";
import * as Aria from "react-aria-components";

interface FormProps {
  readonly id?: string;
  readonly className?: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** Fields that are sent together, by a button or by Enter. */
export function Form({ onSubmit, ...rest }: FormProps): ReactElement {
  return (
    <Aria.Form
      {...rest}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

export interface FormState<Form> {
  /** What the fields say. */
  readonly form: Form;
  readonly change: (part: Partial<Form>) => void;
  /** Ties a field to its part of the form. */
  readonly field: <Key extends keyof Form>(
    key: Key,
  ) => { readonly value: Form[Key]; readonly onChange: (value: Form[Key]) => void };
}

/** A form of several fields, as one value. */
export function useForm<Form extends object>(initial: Form | (() => Form)): FormState<Form> {
  const [form, setForm] = useState(initial);
  const change = (part: Partial<Form>): void => setForm((before) => ({ ...before, ...part }));
  return {
    form,
    change,
    field: (key) => ({ value: form[key], onChange: (value) => change({ [key]: value } as unknown as Partial<Form>) }),
  };
}
