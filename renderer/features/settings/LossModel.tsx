import {useState} from 'react';
import type {Json} from '../../../app/base/json.ts';
import type {Loss} from '../../../app/run/scenario/lossModel.ts';
import {ChoiceField} from '../../kit/ChoiceField.tsx';
import type {LossWay} from '../../kit/LossText.tsx';
import {NumberField} from '../../kit/NumberField.tsx';
import {linearScale} from '../../kit/scale.ts';
import {useSession, useSessionState} from '../../session/context.tsx';

const PROBABILITY = linearScale({from: 0, to: 100, factor: 0.01, digits: 3});

/** The fields for how packets are lost, in one direction or in both. The Bernoulli model's rate is in `LossFields`. */
export function LossModel({settingKey, label, loss}: LossWay) {
  const session = useSession();
  return (
    <>
      <div className="field field-choice" data-setting={settingKey}>
        <label htmlFor={`${settingKey}-model`}>{label}, model</label>
        <select
          id={`${settingKey}-model`}
          value={loss.model}
          onChange={event => {
            const first = FIRST_OF_MODEL[event.target.value as Loss['model']];
            const at = loss.at === undefined ? {} : {at: loss.at};
            session.history.choose(settingKey, {...first, applies: loss.applies, ...at});
          }}
        >
          <option value="bernoulli">each packet by itself</option>
          <option value="gilbert-elliott">in bursts</option>
          <option value="list">exactly these packets</option>
        </select>
      </div>
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
      <ChoiceField
        settingKey={`${settingKey}.at`}
        label={`${label} happens`}
        value={loss.at ?? 'entry'}
        choices={[
          ['entry', 'before the queue'],
          ['exit', 'behind the link'],
        ]}
      />
    </>
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
          session.history.edit(
            settingKey,
            words.map(word => (/^\d+$/.test(word) ? Number(word) : word)),
          );
        }}
        onBlur={() => {
          setTyped(null);
          session.history.endEdit();
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

/**
 * The parameters of the Gilbert-Elliott model (`app/run/scenario/lossModel.ts`). Each is a probability: `p` that a
 * burst begins, `r` that it ends, `h` that a packet in a burst is not lost, and `k` that a packet between bursts is not
 * lost.
 */
const GILBERT_ELLIOTT = [
  ['p', 'A burst begins'],
  ['r', 'A burst ends'],
  ['h', 'Passes in a burst'],
  ['k', 'Passes outside'],
] as const;

/** The parameters of each model when the user chooses it. The bursts are those of the preset `wifi-bad`. */
const FIRST_OF_MODEL: {readonly [M in Loss['model']]: {readonly [key: string]: Json}} = {
  bernoulli: {rate: 0.03},
  'gilbert-elliott': {p: 0.013158, r: 0.25, h: 0, k: 1},
  list: {packets: []},
};
