import {lossDocument} from '../../../app/run/scenario/document.ts';
import {Icon} from '../../kit/Icon.tsx';
import {LossText, type LossWay} from '../../kit/LossText.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {PERCENT} from '../../kit/pathScales.ts';
import {useSession} from '../../session/context.tsx';

interface LossFieldsProps {
  readonly ways: readonly LossWay[];
  readonly onApart: (isApart: boolean) => void;
}

/** The fields for how much is lost, which are always visible. `LossModel` has the fields for how packets are lost. */
export function LossFields({ways, onApart}: LossFieldsProps) {
  const session = useSession();
  const [first] = ways;
  if (first === undefined) return null;
  const join = () => {
    session.history.choose('path.loss', lossDocument(first.loss));
    onApart(false);
  };
  const action =
    ways.length > 1 ? (
      <button
        type="button"
        className="quiet"
        onClick={join}
        title="use one value for both directions"
        aria-label="Loss: use one value for both directions"
      >
        <Icon name="join" />
      </button>
    ) : (
      <button
        type="button"
        className="quiet"
        onClick={() => onApart(true)}
        title="set down and up separately"
        aria-label="Loss: set down and up separately"
      >
        <Icon name="split" />
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
