import {useState} from 'react';
import {type Json, lossDocument} from '../../app/scenario/document.ts';
import type {Loss} from '../../app/scenario/loss.ts';
import type {BothWays} from '../../app/scenario/path.ts';
import {useSession, useSessionState} from '../store/context.ts';
import {ChoiceField} from './ChoiceField.tsx';
import {NumberField} from './NumberField.tsx';
import {linearScale} from './scale.ts';

const PERCENT = linearScale({from: 0, to: 20, factor: 0.01, digits: 3});
const PROBABILITY = linearScale({from: 0, to: 100, factor: 0.01, digits: 3});

/** Loss of both directions, together while they are equal and nobody took them apart. */
export function LossFields({loss}: {readonly loss: BothWays<Loss>}) {
  const [isApart, setApart] = useState(false);
  const session = useSession();
  const isEqual = JSON.stringify(loss.down) === JSON.stringify(loss.up);
  if (isEqual && !isApart) {
    return (
      <div className="both-ways">
        <DirectionLoss settingKey="path.loss" label="Loss" loss={loss.down} />
        <button type="button" className="quiet" onClick={() => setApart(true)} title="down and up apart">
          ⇅
        </button>
      </div>
    );
  }
  const join = () => {
    session.choose('path.loss', lossDocument(loss.down));
    setApart(false);
  };
  return (
    <div className="both-ways">
      <div>
        <DirectionLoss settingKey="path.loss.down" label="Loss down" loss={loss.down} />
        <DirectionLoss settingKey="path.loss.up" label="Loss up" loss={loss.up} />
      </div>
      <button type="button" className="quiet" onClick={join} title="up as down">
        =
      </button>
    </div>
  );
}

interface DirectionLossProps {
  readonly settingKey: string;
  readonly label: string;
  readonly loss: Loss;
}

function DirectionLoss({settingKey, label, loss}: DirectionLossProps) {
  const session = useSession();
  return (
    <div>
      <select
        aria-label={`${label}, model`}
        value={loss.model}
        onChange={event => {
          const first = FIRST_OF_MODEL[event.target.value as Loss['model']];
          session.choose(settingKey, {...first, applies: loss.applies});
        }}
      >
        <option value="bernoulli">{label}: each packet alike (Bernoulli)</option>
        <option value="gilbert-elliott">{label}: in bursts (Gilbert–Elliott)</option>
        <option value="list">{label}: exactly these packets</option>
      </select>
      {loss.model === 'bernoulli' && (
        <NumberField
          settingKey={`${settingKey}.rate`}
          label={label}
          unit="%"
          value={loss.rate}
          scale={PERCENT}
        />
      )}
      {loss.model === 'gilbert-elliott' &&
        GILBERT_ELLIOTT.map(([parameter, text]) => (
          <NumberField
            key={parameter}
            settingKey={`${settingKey}.${parameter}`}
            label={text}
            unit="%"
            value={loss[parameter]}
            scale={PROBABILITY}
          />
        ))}
      {loss.model === 'list' && (
        <PacketList settingKey={`${settingKey}.packets`} label={label} packets={loss.packets} />
      )}
      <ChoiceField
        settingKey={`${settingKey}.applies`}
        label={`${label} applies to`}
        value={loss.applies}
        choices={[
          ['all', 'every packet'],
          ['data', 'packets with data'],
        ]}
      />
    </div>
  );
}

interface PacketListProps {
  readonly settingKey: string;
  readonly label: string;
  readonly packets: readonly number[];
}

function PacketList({settingKey, label, packets}: PacketListProps) {
  const session = useSession();
  const refused = useSessionState(state =>
    state.refused?.key.startsWith(settingKey) ? state.refused.problem.message : null,
  );
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <div className="field">
      <input
        type="text"
        aria-label={`${label}, numbers of the packets, from 0`}
        value={typed ?? packets.join(', ')}
        onChange={event => {
          setTyped(event.target.value);
          const words = event.target.value.split(/[\s,]+/).filter(word => word !== '');
          session.edit(
            settingKey,
            words.map(word => (/^\d+$/.test(word) ? Number(word) : word)),
          );
        }}
        onBlur={() => {
          setTyped(null);
          session.endEdit();
        }}
      />
      {refused !== null && (
        <p className="refused" role="alert">
          {refused}
        </p>
      )}
    </div>
  );
}

/** As `app/scenario/path.ts` defines them. */
const GILBERT_ELLIOTT = [
  ['p', 'Good → bad'],
  ['r', 'Bad → good'],
  ['h', 'Passes in bad'],
  ['k', 'Passes in good'],
] as const;

/** What a model starts with when it is chosen; the bursts are those of the preset `wifi-bad`. */
const FIRST_OF_MODEL: {readonly [M in Loss['model']]: {readonly [key: string]: Json}} = {
  bernoulli: {rate: 0.03},
  'gilbert-elliott': {p: 0.013158, r: 0.25, h: 0, k: 1},
  list: {packets: []},
};
