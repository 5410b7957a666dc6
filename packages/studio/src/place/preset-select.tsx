import type { ReactElement } from "react";
import { useApi } from "../api/use-api.ts";
import { Select, type SelectProps } from "../kit/fields.tsx";

interface PresetSelectProps extends Omit<SelectProps<string>, "options"> {
  /** What stands for no preset, which is the empty value. */
  readonly none: string;
}

/** The presets of the library, or none of them. */
export function PresetSelect({ none, ...rest }: PresetSelectProps): ReactElement {
  const presets = useApi("presets.list", {}).data?.presets ?? [];
  const options = [{ id: "", label: none }, ...presets.map(({ id, name }) => ({ id, label: name || id }))];
  return <Select {...rest} options={options} />;
}
