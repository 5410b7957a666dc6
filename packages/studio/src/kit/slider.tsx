import type { ReactElement } from "react";
import { Slider as AriaSlider, Label, SliderOutput, SliderThumb, SliderTrack } from "react-aria-components";
import { classes, labelText } from "./classes.ts";

export interface SliderProps {
  readonly label: string;
  readonly value: number;
  readonly minValue: number;
  readonly maxValue: number;
  readonly step?: number;
  readonly onChange: (value: number) => void;
  /** Called once, when the thumb is let go or a key has moved it. */
  readonly onChangeEnd?: (value: number) => void;
  readonly isDisabled?: boolean;
  readonly className?: string;
}

export function Slider({ label, value, onChange, onChangeEnd, className, ...rest }: SliderProps): ReactElement {
  return (
    <AriaSlider<number>
      {...rest}
      value={value}
      onChange={onChange}
      onChangeEnd={onChangeEnd}
      className={classes("flex min-w-0 items-center gap-3 data-[disabled]:opacity-50", className)}
    >
      <Label className={classes(labelText, "shrink-0")}>{label}</Label>
      <SliderTrack className="relative h-5 min-w-16 flex-1 before:absolute before:inset-x-0 before:top-1/2 before:h-1 before:-translate-y-1/2 before:rounded-full before:bg-edge">
        <SliderThumb className="top-1/2 size-3.5 rounded-full border-2 border-canvas bg-accent shadow-float data-[focus-visible]:outline-2 data-[focus-visible]:outline-offset-1 data-[focus-visible]:outline-accent" />
      </SliderTrack>
      <SliderOutput className="min-w-12 shrink-0 text-right text-sm tabular-nums" />
    </AriaSlider>
  );
}
