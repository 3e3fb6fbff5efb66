import {useEffect} from 'react';
import {useStore} from 'zustand';
import type {Json} from '../../../app/base/json.ts';
import {describeCounts} from '../../../app/run/scenario/describe.ts';
import {usesKernelTcp} from '../../../app/run/scenario/livePath.ts';
import {LossText, lossWays} from '../../kit/LossText.tsx';
import {NumberSlider} from '../../kit/NumberSlider.tsx';
import {ALWAYS_VISIBLE, PERCENT} from '../../kit/pathScales.ts';
import type {Scale} from '../../kit/scale.ts';
import {useSessionState, useStateOf} from '../../session/context.tsx';
import {PATH_WATCH, type PathSetting} from './pathWatch.ts';

/**
 * The settings of the emulated path in front of a live server, if there is such a path. They can change while packets
 * pass.
 */
export function RunningPathFields({live}: {readonly live: string}) {
  const pathWatch = useStateOf(PATH_WATCH);
  const isOver = useSessionState(state => state.run?.live?.isOver);
  const hasKernels = useSessionState(({scenario}) => usesKernelTcp(scenario, live));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a path may have started when a load begins or ends
  useEffect(() => pathWatch.watch(live), [pathWatch, live, isOver]);
  const {running, failure} = useStore(pathWatch.store);
  if (running === null) return <p className="note">{failure === null ? NO_PATH : `${HAS_PATH} ${failure}.`}</p>;
  const {path, counts} = running;
  const isApart = JSON.stringify(path.loss.down) !== JSON.stringify(path.loss.up);
  return (
    <>
      <div className="at-hand">
        {lossWays(path.loss, isApart).map(({settingKey, label, loss}, index) => {
          if (loss.model !== 'bernoulli') return <LossText key={settingKey} label={label} loss={loss} />;
          const {model, rate, ...others} = loss;
          const way = isApart ? WAYS[index] : undefined;
          const field = {setting: 'loss', label, unit: '%', scale: PERCENT, value: rate, way} as const;
          return <PathField key={settingKey} {...field} toSetting={value => ({rate: value, ...others})} />;
        })}
        {ALWAYS_VISIBLE.flatMap(({setting, label, ...field}) => {
          const {down, up} = path[setting];
          if (down === up) return [<PathField key={setting} {...field} setting={setting} label={label} value={down} />];
          return WAYS.map(way => (
            <PathField
              key={`${setting}.${way}`}
              {...field}
              setting={setting}
              way={way}
              label={`${label} ${way}`}
              value={path[setting][way]}
            />
          ));
        })}
      </div>
      <button type="button" title={HAND_OVER_ABOUT} onClick={() => void pathWatch.handOver()}>
        Hand over
      </button>
      {failure !== null && (
        <p className="refused" role="alert">
          {failure}
        </p>
      )}
      <p className="note">
        {HAS_PATH} It {describeCounts(counts)}.{hasKernels && ` ${NO_KERNELS}`}
      </p>
    </>
  );
}

interface PathFieldProps {
  readonly setting: PathSetting;
  /** The direction; undefined if both directions have the same value and are set together. */
  readonly way?: (typeof WAYS)[number] | undefined;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
  readonly value: number;
  /** Converts the field's number to the value of the setting, if the two differ. */
  readonly toSetting?: (value: number | string) => Json;
}

function PathField({setting, way, toSetting = value => value, ...field}: PathFieldProps) {
  const pathWatch = useStateOf(PATH_WATCH);
  const refused = useStore(pathWatch.store, state => state.refused);
  const key = way === undefined ? setting : `${setting}.${way}`;
  return (
    <NumberSlider
      {...field}
      settingKey={key}
      problem={refused?.key === key ? refused.problem : null}
      onEdit={value => pathWatch.set(setting, way === undefined ? toSetting(value) : {[way]: toSetting(value)}, key)}
      onLeave={() => pathWatch.endEdit()}
    />
  );
}

const WAYS = ['down', 'up'] as const;
const HAND_OVER_ABOUT =
  'Moves the clients to another path with the same settings, for example from Wi-Fi to a mobile network. What is on the way to them is lost, and their address changes.';
const HAS_PATH = 'Packets pass through the command `interleave path`. Its settings can be changed while a page loads.';
const NO_KERNELS =
  'The TCP of the operating system passes through it only in a network namespace. Interleave’s own TCP sends its segments in UDP datagrams, and always passes through it.';
const NO_PATH = 'Time and sockets are real: loss, rate and RTT depend on the network.';
