import type {Json} from '../../../app/base/json.ts';
import {SHIPPED_TRACES} from '../../../app/run/link/shippedTraces.ts';
import {parseScenario} from '../../../app/run/scenario/scenario.ts';

/** A setting of the link that is chosen from a list. The first choice is the default. */
interface LinkChoice {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  readonly label: string;
  /** More words with which the setting is found. */
  readonly words: string;
  readonly choices: readonly (readonly [value: Json, text: string])[];
}

const TRACES: LinkChoice['choices'] = [
  [null, 'constant'],
  ...SHIPPED_TRACES.map(({name, title}) => [name, title] as const),
];

export const LINK_CHOICES: readonly LinkChoice[] = [
  {
    settingKey: 'path.queue',
    label: 'Queue discipline',
    words: 'AQM bufferbloat ECN',
    choices: [
      [null, 'drop-tail'],
      [{kind: 'codel'}, 'CoDel'],
      [{kind: 'fq_codel'}, 'FQ-CoDel'],
      [{kind: 'pie'}, 'PIE'],
      [{kind: 'dualpi2'}, 'DualPI2 (L4S)'],
    ],
  },
  {settingKey: 'path.down.trace', label: 'Rate down over time', words: 'trace LTE 5G Wi-Fi Starlink', choices: TRACES},
  {settingKey: 'path.up.trace', label: 'Rate up over time', words: 'trace LTE 5G Wi-Fi Starlink', choices: TRACES},
  {
    settingKey: 'path.traffic',
    label: 'Other traffic',
    words: 'neighbour bulk cross traffic',
    choices: [
      [[], 'none'],
      [bulk('up'), 'an upload over TCP'],
      [bulk('down'), 'a download over TCP'],
    ],
  },
];

/** One TCP connection that always has more to send, with all keys as scenarios have them. */
function bulk(direction: 'down' | 'up'): Json {
  const parsed = parseScenario({path: {traffic: [{kind: 'tcp', direction}]}});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return (parsed.scenario.path.traffic ?? []).map(item => ({...item}));
}

/** Returns the value of a key, written as in `--set`. Undefined if the document lacks it. */
export function valueAt(document: Json, key: string): Json | undefined {
  return key.split('.').reduce<Json | undefined>((node, name) => {
    const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
    return isObject ? (node as {readonly [name: string]: Json})[name] : undefined;
  }, document);
}

export function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
