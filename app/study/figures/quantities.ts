import type {Json} from '../../base/json.ts';
import {showValue} from '../../base/text.ts';
import {PERCENTS} from '../../run/metrics/metrics.ts';
import {lossValueText} from '../../run/scenario/describe.ts';
import type {FigureAxis} from './figure.ts';

/** A quantity on an axis, and how numbers of a table are converted to it. */
export interface Quantity extends FigureAxis {
  /** The table's number times this factor is the number on the axis. */
  readonly factor: number;
}

/** The quantity of a metric, given the name of its column. Times are shown in seconds. */
export function metricQuantity(name: string): Quantity {
  const known = METRIC_LABELS[name];
  if (name.endsWith('Ms')) return {label: known ?? spaced(name.slice(0, -2)), unit: 's', factor: 1e-3};
  if (name.endsWith('Bytes')) return {label: known ?? spaced(name.slice(0, -5)), unit: 'KB', factor: 1e-3};
  return {label: known ?? spaced(name), unit: null, factor: 1};
}

/** The quantity of a scenario's key. The key has the form that `--set` expects. */
export function keyQuantity(key: string): Quantity {
  const known = KEY_QUANTITIES.find(([pattern]) => pattern.test(key))?.[1];
  return known ?? {label: keyText(key), unit: null, factor: 1};
}

/** A key's value in words: `10 KB`, `loss each way 3 %`, `profile of pane 1 reno`. */
export function valueText(key: string, value: Json): string {
  if (LOSS_KEY.test(key) && typeof value === 'object') return `${keyQuantity(key).label} ${placeWords(key, value)}`;
  if (typeof value !== 'number') return `${keyText(key)} ${placeWords(key, value)}`;
  const {label, unit} = keyQuantity(key);
  const number = numberText(key, value);
  if (unit === null) return `${label} ${number}`;
  return SELF_EVIDENT.test(key) ? `${number} ${unit}` : `${label} ${number} ${unit}`;
}

/** Writes a value without a unit: a loss in words, a text unchanged, and anything else as JSON. */
export function placeWords(key: string, value: Json): string {
  if (typeof value === 'string') return value;
  return (LOSS_KEY.test(key) ? lossValueText(value) : undefined) ?? showValue(value);
}

const LOSS_KEY = /^path\.loss(\.down|\.up)?$/;

/** A key in words: `panes.0.profile` is `profile of pane 1`. */
function keyText(key: string): string {
  const [, pane, setting] = /^panes\.(\d+)\.(.+)$/.exec(key) ?? [];
  return setting === undefined ? key : `${setting} of pane ${Number(pane) + 1}`;
}

/** A key's value as a number on the axis, without the unit. */
export function numberText(key: string, value: number): string {
  return String(Number((value * keyQuantity(key).factor).toPrecision(6)));
}

/** A measured value, rounded to three significant digits. */
export function threeDigits(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** The text of an axis: `page time T, s`. */
export function axisText({label, unit}: FigureAxis): string {
  return unit === null ? label : `${label}, ${unit}`;
}

/** A name in words: `longestWait` is `longest wait`. */
function spaced(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
}

/** Keys whose values are clear without the key's name, because the unit says enough. */
const SELF_EVIDENT = /^page\.synthetic\.\w*Bytes$/;

const PERCENT: Omit<Quantity, 'label'> = {unit: '%', factor: 100};
const MEGABITS: Omit<Quantity, 'label'> = {unit: 'Mbit/s', factor: 1e-6};
const MS: Omit<Quantity, 'label'> = {unit: 'ms', factor: 1};
const KB: Omit<Quantity, 'label'> = {unit: 'KB', factor: 1e-3};

const KEY_QUANTITIES: readonly (readonly [RegExp, Quantity])[] = [
  [/^path\.loss(\.rate)?$/, {label: 'loss each way', ...PERCENT}],
  [/^path\.loss\.down(\.rate)?$/, {label: 'loss down', ...PERCENT}],
  [/^path\.loss\.up(\.rate)?$/, {label: 'loss up', ...PERCENT}],
  [/^path\.rateBps$/, {label: 'rate', ...MEGABITS}],
  [/^path\.rateBps\.down$/, {label: 'rate down', ...MEGABITS}],
  [/^path\.rateBps\.up$/, {label: 'rate up', ...MEGABITS}],
  [/^path\.rttMs$/, {label: 'RTT', ...MS}],
  [/^path\.down\.trace(\.name)?$/, {label: 'trace down', unit: null, factor: 1}],
  [/^path\.up\.trace(\.name)?$/, {label: 'trace up', unit: null, factor: 1}],
  [/^path\.queuePackets$/, {label: 'queue', unit: 'packets', factor: 1}],
  [/^path\.mtuBytes$/, {label: 'MTU', unit: 'B', factor: 1}],
  [/^page\.synthetic\.objects$/, {label: 'objects', unit: null, factor: 1}],
  [/^page\.synthetic\.objectBytes$/, {label: 'object size', ...KB}],
  [/^page\.synthetic\.indexBytes$/, {label: 'HTML', ...KB}],
  [/^panes\.\d+\.streams$/, {label: 'streams', unit: null, factor: 1}],
  [/^serverThinkMs$/, {label: 'server’s thinking', ...MS}],
];

const METRIC_LABELS: {readonly [name: string]: string} = {
  setupMs: 'set-up',
  pageTimeMs: 'page time T',
  finishMs: 'whole page from navigation',
  fcpMs: 'FCP from navigation',
  lcpMs: 'LCP from navigation',
  dclMs: 'DOMContentLoaded from navigation',
  loadMs: 'load from navigation',
  ...Object.fromEntries(
    PERCENTS.flatMap(percent => [
      [`p${percent}PageMs`, `${percent} %Page`],
      [`p${percent}RenMs`, `${percent} %Ren`],
    ]),
  ),
  silentMs: 'longest silent time',
  holBlockedMs: 'HOL blocking',
  holBlockedBytes: 'HOL blocked data',
  longestWaitMs: 'longest wait for earlier data',
  recognisableMs: 'all pictures recognisable',
  goodMs: 'all pictures good',
  speedIndexMs: 'Speed Index',
  visuallyComplete85Ms: 'visually complete 85 %',
  visuallyComplete100Ms: 'visually complete',
};
