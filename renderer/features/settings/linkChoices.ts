import type {Json} from '../../../app/base/json.ts';
import {SHIPPED_TRACES} from '../../../app/run/link/shippedTraces.ts';
import {pathDocument} from '../../../app/run/scenario/document.ts';
import {QUEUE_DISCIPLINES} from '../../../app/run/scenario/linkParts.ts';
import type {PathSettings} from '../../../app/run/scenario/path.ts';

/** A setting of the link that is chosen from a list. The first choice is the default. */
interface LinkChoice {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  /** Reads the setting in a document of the path. */
  readonly read: (path: LinkDocument) => Json | undefined;
  readonly label: string;
  /** Other words by which the search for commands finds the setting. */
  readonly words: string;
  readonly choices: readonly (readonly [value: Json, text: string])[];
}

/** The part of a path's document that has the settings of {@link LINK_CHOICES}. */
interface LinkDocument {
  readonly queue?: Json;
  readonly down?: {readonly trace?: Json};
  readonly up?: {readonly trace?: Json};
  readonly traffic?: Json;
}

const TRACES: LinkChoice['choices'] = [
  [null, 'constant'],
  ...SHIPPED_TRACES.map(({name, title}) => [name, title] as const),
];

export const LINK_CHOICES: readonly LinkChoice[] = [
  {
    settingKey: 'path.queue',
    read: ({queue}) => queue,
    label: 'Queue discipline',
    words: 'AQM bufferbloat ECN L4S',
    choices: Object.entries(QUEUE_DISCIPLINES).map(([kind, {name}]) => [kind === 'droptail' ? null : {kind}, name]),
  },
  {
    settingKey: 'path.down.trace',
    read: ({down}) => down?.trace,
    label: 'Rate down over time',
    words: 'trace LTE 5G Wi-Fi Starlink',
    choices: TRACES,
  },
  {
    settingKey: 'path.up.trace',
    read: ({up}) => up?.trace,
    label: 'Rate up over time',
    words: 'trace LTE 5G Wi-Fi Starlink',
    choices: TRACES,
  },
  {
    settingKey: 'path.traffic',
    read: ({traffic}) => traffic,
    label: 'Other traffic',
    words: 'neighbour bulk cross traffic',
    choices: [
      [[], 'none'],
      [bulk('up'), 'an upload over TCP'],
      [bulk('down'), 'a download over TCP'],
    ],
  },
];

/**
 * Traffic besides the page: one TCP connection that always has more to send. The value has all keys, in the order in
 * which scenarios are written, because {@link isSame} compares the JSON texts.
 */
function bulk(direction: 'down' | 'up'): Json {
  return [{kind: 'tcp', direction, startMs: 0, endMs: null, congestion: 'cubic', flows: 1}];
}

/** Returns the value of a choice's setting. If the path does not contain the setting, this is the first choice. */
export function chosenValue({read, choices}: LinkChoice, path: PathSettings): Json {
  return read(pathDocument(path) as LinkDocument) ?? choices[0]?.[0] ?? null;
}

export function isSame(one: Json, other: Json): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
