import {packetsText} from '../../../app/run/cause/losses.ts';
import {shortLossText} from '../../../app/run/scenario/describe.ts';
import {lossDocument} from '../../../app/run/scenario/document.ts';
import {type Loss, meanLossRate} from '../../../app/run/scenario/lossModel.ts';
import type {BothWays} from '../../../app/run/scenario/path.ts';
import {NumberField} from '../../kit/NumberField.tsx';
import {useSession} from '../../session/context.ts';
import {PERCENT} from './pathScales.ts';

/** The loss of one direction, or of both while they are equal and nobody took them apart. */
export interface LossWay {
  readonly settingKey: string;
  readonly label: string;
  readonly loss: Loss;
}

/** What there is to set: both directions in one, or each. */
export function lossWays({down, up}: BothWays<Loss>, isApart: boolean): readonly LossWay[] {
  if (!isApart && JSON.stringify(down) === JSON.stringify(up))
    return [{settingKey: 'path.loss', label: 'Loss', loss: down}];
  return [
    {settingKey: 'path.loss.down', label: 'Loss down', loss: down},
    {settingKey: 'path.loss.up', label: 'Loss up', loss: up},
  ];
}

interface LossFieldsProps {
  readonly ways: readonly LossWay[];
  readonly onApart: (isApart: boolean) => void;
}

/** How much is lost, at hand; `LossModel` has how. */
export function LossFields({ways, onApart}: LossFieldsProps) {
  const session = useSession();
  const [first] = ways;
  if (first === undefined) return null;
  const join = () => {
    session.settings.choose('path.loss', lossDocument(first.loss));
    onApart(false);
  };
  const action =
    ways.length > 1 ? (
      <button type="button" className="quiet" onClick={join} title="up as down">
        =
      </button>
    ) : (
      <button type="button" className="quiet" onClick={() => onApart(true)} title="down and up apart">
        ⇅
      </button>
    );
  return ways.map(way => <OneLoss key={way.settingKey} {...way} action={way === first ? action : null} />);
}

function OneLoss({settingKey, label, loss, action}: LossWay & {readonly action: React.ReactNode}) {
  if (loss.model === 'bernoulli')
    return (
      <NumberField
        settingKey={`${settingKey}.rate`}
        label={label}
        unit="%"
        value={loss.rate}
        scale={PERCENT}
        action={action}
      />
    );
  return <LossText label={label} loss={loss} action={action} />;
}

interface LossTextProps {
  readonly label: string;
  readonly loss: Loss;
  readonly action?: React.ReactNode;
}

/** Of a loss that is no single number. */
export function LossText({label, loss, action}: LossTextProps) {
  return (
    <div className="field">
      <span>{label}</span>
      <span className="field-text" title={shortLossText(loss)}>
        {loss.model === 'gilbert-elliott'
          ? `in bursts, ${Number((meanLossRate(loss) * 100).toPrecision(2))} %`
          : loss.model === 'list'
            ? packetsText(loss.packets.length)
            : shortLossText(loss)}
      </span>
      {action != null && <span className="action">{action}</span>}
    </div>
  );
}
