import type {ReactNode} from 'react';
import {shortLossText} from '../../app/run/scenario/describe.ts';
import type {Loss} from '../../app/run/scenario/lossModel.ts';
import type {BothWays} from '../../app/run/scenario/path.ts';

/** The loss of one direction, or of both directions if they are equal and set together. */
export interface LossWay {
  readonly settingKey: string;
  readonly label: string;
  readonly loss: Loss;
}

/** The losses to show: one for both directions, or one for each direction. */
export function lossWays({down, up}: BothWays<Loss>, isApart: boolean): readonly LossWay[] {
  if (!isApart && JSON.stringify(down) === JSON.stringify(up))
    return [{settingKey: 'path.loss', label: 'Loss', loss: down}];
  return [
    {settingKey: 'path.loss.down', label: 'Loss down', loss: down},
    {settingKey: 'path.loss.up', label: 'Loss up', loss: up},
  ];
}

interface LossTextProps {
  readonly label: string;
  readonly loss: Loss;
  readonly action?: ReactNode;
}

/** Shows in words a loss that cannot be set by a single number. */
export function LossText({label, loss, action}: LossTextProps) {
  return (
    <div className="field">
      <span>{label}</span>
      <span className="field-text">{shortLossText(loss)}</span>
      {action != null && <span className="action">{action}</span>}
    </div>
  );
}
