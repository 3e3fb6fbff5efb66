import type {ReactNode} from 'react';
import {useEditing} from './editing.ts';
import {NumberSlider} from './NumberSlider.tsx';
import type {Scale} from './scale.ts';

interface NumberFieldProps {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  /** The number, in the unit of the document that the fields edit (editing.ts), such as a scenario. */
  readonly value: number;
  readonly scale: Scale;
  /** A small button at the end of the line. */
  readonly action?: ReactNode;
}

/** A field for one number of the document that the fields edit, with a slider. */
export function NumberField(props: NumberFieldProps) {
  const {settingKey} = props;
  const editing = useEditing();
  return (
    <NumberSlider
      {...props}
      problem={editing.useProblem(settingKey)}
      onEdit={value => editing.edit(settingKey, value)}
      onLeave={() => editing.endEdit()}
    />
  );
}
