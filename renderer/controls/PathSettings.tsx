import {useEffect, useState} from 'react';
import type {BothWays} from '../../app/scenario/path.ts';
import {pathAt} from '../../app/scenario/scenario.ts';
import {useSession, useSessionState} from '../store/context.ts';
import {shownMs} from '../store/gesture.ts';
import {LossFields} from './LossFields.tsx';
import {NumberField} from './NumberField.tsx';
import {linearScale, logScale, type Scale} from './scale.ts';

const NUMBERS: readonly {
  readonly setting: 'rateBps' | 'rttMs' | 'queuePackets';
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
}[] = [
  {
    setting: 'rateBps',
    label: 'Rate',
    unit: 'kbit/s',
    scale: logScale({from: 10, to: 1e6, factor: 1000, digits: 3, isInteger: true}),
  },
  {setting: 'rttMs', label: 'RTT', unit: 'ms', scale: linearScale({from: 0, to: 2000, factor: 1, digits: 3})},
  {
    setting: 'queuePackets',
    label: 'Queue',
    unit: 'packets',
    scale: logScale({from: 1, to: 1000, factor: 1, digits: 2, isInteger: true}),
  },
];

/** The emulated path: of the whole run, or as it is at t when edits hold from now on. */
export function PathSettings() {
  const path = usePathInForce();
  return (
    <fieldset>
      <legend>Path</legend>
      <LossFields loss={path.loss} />
      {NUMBERS.map(({setting, ...field}) => (
        <NumberBothWays key={setting} settingKey={`path.${setting}`} value={path[setting]} {...field} />
      ))}
    </fieldset>
  );
}

interface NumberBothWaysProps {
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
  readonly value: BothWays<number>;
}

function NumberBothWays({settingKey, label, value, ...field}: NumberBothWaysProps) {
  const [isApart, setApart] = useState(false);
  if (!isApart && value.down === value.up) {
    return (
      <div className="both-ways">
        <NumberField settingKey={settingKey} label={label} value={value.down} {...field} />
        <button type="button" className="quiet" onClick={() => setApart(true)} title="down and up apart">
          ⇅
        </button>
      </div>
    );
  }
  return (
    <div className="both-ways">
      <div>
        <NumberField
          settingKey={`${settingKey}.down`}
          label={`${label} down`}
          value={value.down}
          {...field}
        />
        <NumberField settingKey={`${settingKey}.up`} label={`${label} up`} value={value.up} {...field} />
      </div>
      <JoinButton settingKey={settingKey} value={value.down} onJoin={() => setApart(false)} />
    </div>
  );
}

interface JoinButtonProps {
  readonly settingKey: string;
  /** What both directions get. */
  readonly value: number;
  readonly onJoin: () => void;
}

function JoinButton({settingKey, value, onJoin}: JoinButtonProps) {
  const session = useSession();
  const join = () => {
    session.choose(settingKey, value);
    onJoin();
  };
  return (
    <button type="button" className="quiet" onClick={join} title="up as down">
      =
    </button>
  );
}

/** Renders again only when t passes a timed change. */
function usePathInForce() {
  const {player} = useSession();
  const scenario = useSessionState(state => state.scenario);
  const isFromNow = useSessionState(state => state.view.isFromNow);
  // under a hand, the change that it makes is in force already
  const setFromMs = useSessionState(state => state.setFromMs) ?? 0;
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    if (!isFromNow) return;
    return player.onTime(tNs => {
      const atMs = Math.max(shownMs(tNs), setFromMs);
      setPassed(scenario.changes.filter(change => change.atMs <= atMs).length);
    });
  }, [player, scenario, isFromNow, setFromMs]);
  return isFromNow ? pathAt(scenario, (scenario.changes[passed - 1]?.atMs ?? -1) * 1e6) : scenario.path;
}
