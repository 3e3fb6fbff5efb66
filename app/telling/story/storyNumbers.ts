import {nearest, showName} from '../../base/text.ts';
import {isComputedPath} from '../../run/scenario/capturedPath.ts';
import {rateText} from '../../run/scenario/describe.ts';
import type {BothWays, PathSettings} from '../../run/scenario/path.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import type {Step} from './story.ts';

/**
 * A number of a scenario that the text of a story's step can show: `{rtt}` in the text is shown as `350 ms`. In the
 * window the user can change the number.
 */
export interface StoryNumber {
  /** What the number is, for screen readers. */
  readonly label: string;
  /** The number in the scenario's unit; null if the scenario has no such number. */
  readonly read: (scenario: Scenario) => number | null;
  /** The key of the number, written as in `--set`. */
  readonly keyOf: (scenario: Scenario) => string;
  /** The number with its unit, as the audience reads it. */
  readonly textOf: (value: number) => string;
  /** The usual range, in which the user can change the number. */
  readonly least: number;
  readonly most: number;
  /** The distance to the next number that the user can choose, for a change upwards or downwards. */
  readonly notch: (value: number, sign: 1 | -1) => number;
}

/** A part of a text: plain text, or a number and its name, which is in braces in the text. */
export type TextPart = string | {readonly name: StoryNumberName; readonly number: StoryNumber};

export type StoryNumberName = keyof typeof STORY_NUMBERS;

/** The parts of a step's text. Names that are unknown stay as they are; {@link textProblem} reports them. */
export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const [whole, name = ''] = match;
    if (!isKnown(name)) continue;
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push({name, number: STORY_NUMBERS[name]});
    from = match.index + whole.length;
  }
  return from < text.length ? [...parts, text.slice(from)] : parts;
}

/** The text of a step as a movie shows it: with the scenario's numbers instead of their names. */
export function plainText({text, scenario}: Pick<Step, 'text' | 'scenario'>): string {
  return textParts(text)
    .map(part => {
      if (typeof part === 'string') return part;
      const value = part.number.read(scenario);
      return value === null ? `{${part.name}}` : part.number.textOf(value);
    })
    .join('');
}

/** The reason why the numbers of a text cannot be shown for a scenario; null if they can. */
export function textProblem(text: string, scenario: Scenario): {readonly limit: string; readonly hint: string} | null {
  for (const [, name = ''] of text.matchAll(REFERENCE)) {
    if (!isKnown(name)) {
      const near = nearest(name, NAMES);
      const known = NAMES.map(each => `{${each}}`).join(', ');
      const hint = near === undefined ? '' : `; did you mean {${near}}?`;
      return {limit: `without {${showName(name)}}: the numbers of a text are ${known}`, hint};
    }
    if (STORY_NUMBERS[name].read(scenario) === null) {
      const why = (isComputedPath(scenario.path) && ABSENT[name]) || 'the path is live or captured';
      return {limit: `without {${name}}, because ${why}`, hint: ''};
    }
  }
  return null;
}

/**
 * The number that is `notches` steps above `value`, or below it if `notches` is negative. A number in the usual range
 * stays in this range.
 */
export function movedNumber({least, most, notch}: StoryNumber, value: number, notches: number): number {
  const sign = notches < 0 ? -1 : 1;
  let moved = value;
  for (let k = 0; k < Math.abs(Math.round(notches)); k++) {
    const step = notch(moved, sign);
    // without the rounding, 0.1 + 0.2 would be 0.30000000000000004
    moved = Number((Math.round(moved / step + sign) * step).toPrecision(12));
    if (moved <= least || moved >= most) break;
  }
  // a number outside the usual range stays there until it is moved towards the range
  return sign > 0 ? Math.min(moved, Math.max(most, value)) : Math.max(moved, Math.min(least, value));
}

/** A number that each direction of the path has. If the two numbers differ, the number of the way down is shown. */
function ofPath(setting: 'rateBps' | 'rttMs' | 'queuePackets'): Pick<StoryNumber, 'read' | 'keyOf'> {
  return {
    read: ({path}) => (isComputedPath(path) ? path[setting].down : null),
    keyOf: ({path}) => wayKey(`path.${setting}`, path[setting]),
  };
}

function wayKey(key: string, {down, up}: BothWays<unknown>): string {
  return JSON.stringify(down) === JSON.stringify(up) ? key : `${key}.down`;
}

function lossShare(path: PathSettings): number | null {
  const {loss} = path;
  return isComputedPath(path) && loss.down.model === 'bernoulli' ? loss.down.rate : null;
}

/** The distance to the next number with two significant digits, at least `finest`. */
function twoDigits(finest: number): StoryNumber['notch'] {
  return (value, sign) => {
    // just below a power of ten, numbers with two digits are closer to each other
    const near = sign < 0 ? value * (1 - 1e-9) : value * (1 + 1e-9);
    return value <= 0 ? finest : Math.max(10 ** (Math.floor(Math.log10(near)) - 1), finest);
  };
}

function plainNumber(value: number): string {
  return String(Number(value.toPrecision(12)));
}

/** The numbers that a story's text can show, by their names in the text. */
export const STORY_NUMBERS = {
  loss: {
    label: 'loss',
    read: ({path}) => lossShare(path),
    keyOf: ({path}) => `${wayKey('path.loss', path.loss)}.rate`,
    textOf: share => `${plainNumber(share * 100)} %`,
    least: 0,
    most: 0.5,
    notch: () => 0.001,
  },
  rtt: {
    label: 'RTT',
    ...ofPath('rttMs'),
    textOf: ms => `${plainNumber(ms)} ms`,
    least: 1,
    most: 5000,
    notch: twoDigits(1),
  },
  rate: {label: 'rate', ...ofPath('rateBps'), textOf: rateText, least: 10_000, most: 1e9, notch: twoDigits(1)},
  queue: {
    label: 'queue',
    ...ofPath('queuePackets'),
    textOf: packets => (packets === 1 ? '1 packet' : `${packets} packets`),
    least: 1,
    most: 1000,
    notch: twoDigits(1),
  },
  mtu: {
    label: 'MTU',
    read: ({path}) => (isComputedPath(path) ? path.mtuBytes : null),
    keyOf: () => 'path.mtuBytes',
    textOf: bytes => `${bytes} bytes`,
    least: 576,
    most: 9000,
    notch: twoDigits(1),
  },
  think: {
    label: 'time that the server thinks',
    read: ({path, serverThinkMs}) => (isComputedPath(path) ? serverThinkMs : null),
    keyOf: () => 'serverThinkMs',
    textOf: ms => `${plainNumber(ms)} ms`,
    least: 0,
    most: 1000,
    notch: twoDigits(1),
  },
  seed: {
    label: 'seed',
    read: ({path, seed}) => (isComputedPath(path) ? seed : null),
    keyOf: () => 'seed',
    textOf: seed => String(seed),
    least: 1,
    most: 1_000_000,
    notch: () => 1,
  },
} as const satisfies {readonly [name: string]: StoryNumber};

const NAMES = Object.keys(STORY_NUMBERS) as readonly StoryNumberName[];

/** Why a scenario with a computed path can lack a number. */
const ABSENT: {readonly [N in StoryNumberName]?: string} = {
  loss: 'the loss of the step is not a share of the packets',
};

function isKnown(name: string): name is StoryNumberName {
  return Object.hasOwn(STORY_NUMBERS, name);
}

/** A name in braces. Other braces are plain text. */
const REFERENCE = /\{([A-Za-z]\w*)\}/g;
