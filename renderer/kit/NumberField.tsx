import type {ReactNode} from 'react';
import {useSession, useSessionState} from '../session/context.ts';
import {NumberSlider} from './NumberSlider.tsx';
import type {Scale} from './scale.ts';

interface NumberFieldProps {
  /** As `--set` writes it. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  /** The document's number. */
  readonly value: number;
  readonly scale: Scale;
  /** A small button at the end of its line. */
  readonly action?: ReactNode;
}

/** A number of the scenario. */
export function NumberField(props: NumberFieldProps) {
  const {settingKey} = props;
  const session = useSession();
  const problem = useSessionState(state => (state.refused?.key === settingKey ? state.refused.problem : null));
  return (
    <NumberSlider
      {...props}
      problem={problem}
      onEdit={value => session.settings.edit(settingKey, value)}
      onLeave={() => session.settings.endEdit()}
    />
  );
}
