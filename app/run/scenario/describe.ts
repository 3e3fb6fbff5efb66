import type {Json} from '../../base/json.ts';
import {INVALID} from '../../base/schema.ts';
import {joined} from '../../base/text.ts';
import {congestionLabel} from '../../http/congestion.ts';
import {isComputedPath} from './capturedPath.ts';
import {PART_KEYS, type PathParts, partText} from './linkParts.ts';
import {type Loss, loss, meanLossRate} from './lossModel.ts';
import {hasOwnDrops} from './paneDrops.ts';
import type {BothWays, PathSettings} from './path.ts';
import type {PathCounts} from './runningPath.ts';
import type {Scenario} from './scenario.ts';
import {type DirectionTraces, type TraceSettings, traceText} from './traceSettings.ts';
import type {Traffic} from './traffic.ts';

/**
 * Describes the path in one line for people: `1 Mbit/s, RTT 350 ms, 3 % of packets lost in both directions`, or the
 * address of a live server, or `the path of the recording (pcap)`.
 */
export function describePath(path: PathSettings): string {
  return [linkText(path), ...sharersText(path)].join(', ');
}

/** Describes the path without the traffic and the panes that share it. */
function linkText(path: PathSettings): string {
  const {loss, live, tcp, captured} = path;
  if (captured !== undefined) return `the path of the recording (${captured})`;
  if (live !== undefined) return `live from ${live}${tcp === undefined ? '' : ', TCP in UDP'}`;
  return [ratesText(path), rttsText(path), lossesText(loss), ...partsTexts(path)].join(', ');
}

/** Describes the parts of links that most paths do not have: `FQ-CoDel queue down`, `jitter 5 ms`. */
function partsTexts(path: PathParts): readonly string[] {
  return PART_KEYS.flatMap(key => {
    const [down, up] = [path[key]?.down, path[key]?.up].map(part => (part ? partText(key, part, rateText) : ''));
    if (down === up) return down === '' || down === undefined ? [] : [down];
    return [...(down ? [`${down} down`] : []), ...(up ? [`${up} up`] : [])];
  });
}

/**
 * Says who shares the path: other traffic, and the other panes. Empty if nobody does, or if the runs of the path are
 * not computed.
 */
function sharersText(path: PathSettings): readonly string[] {
  if (!isComputedPath(path)) return [];
  return [...besideText(path), ...(path.atOnce ? ['shared by all panes'] : [])];
}

function besideText({traffic = []}: PathSettings): readonly string[] {
  return traffic.length === 0 ? [] : [`beside ${joined(traffic.map(describeTraffic))}`];
}

/** Describes other traffic: `an upload`, `6 downloads (Reno)`, `200 kbit/s of constant traffic down`. */
function describeTraffic(item: Traffic): string {
  return `${trafficText(item)}${timesText(item)}`;
}

function trafficText(item: Traffic): string {
  if (item.kind === 'cbr') return `${rateText(item.rateBps)} of constant traffic ${item.direction}`;
  const [one, several] = item.direction === 'up' ? ['an upload', 'uploads'] : ['a download', 'downloads'];
  const congestion = item.congestion === 'cubic' ? '' : ` (${congestionLabel(item.congestion)})`;
  return `${item.flows === 1 ? one : `${item.flows} ${several}`}${congestion}`;
}

/** Says when traffic starts and ends. Empty if it is there during the whole run. */
function timesText({startMs, endMs}: Traffic): string {
  const start = startMs > 0 ? ` from ${short(startMs / 1000)} s` : '';
  return `${start}${endMs === null ? '' : ` until ${short(endMs / 1000)} s`}`;
}

/** Describes the capacity of both directions: `1 Mbit/s`, `LTE in a car down and 1 Mbit/s up`. */
function ratesText(path: PathSettings): string {
  const text = (way: 'down' | 'up'): string => {
    const trace = path[way]?.trace;
    return trace ? traceText(trace) : rateText(path.rateBps[way]);
  };
  return bothWays({down: text('down'), up: text('up')}, each => each);
}

function rttsText({rttMs, down, up}: PathSettings): string {
  const [slow, fast] = [down?.delayTrace, up?.delayTrace];
  if (!slow && !fast) return `RTT ${bothWays(rttMs, ms => `${ms} ms`)}`;
  const delay = (trace: TraceSettings | null | undefined, ms: number): string =>
    trace ? `as in ${traceText(trace)}` : `${ms / 2} ms`;
  return `one-way delay ${bothWays({down: delay(slow, rttMs.down), up: delay(fast, rttMs.up)}, each => each)}`;
}

/**
 * Describes the path of a computed load in few words: `1 Mbit/s, RTT 350 ms, loss 3 %`. If packets are listed, the end
 * is `exactly packet 12 lost on the way down, no other` instead.
 */
export function shortPathText(path: PathSettings): string {
  const {loss} = path;
  const isListed = [loss.down, loss.up].some(({model}) => model === 'list');
  const losses = isListed ? lossesText(loss) : `loss ${bothWays(loss, shortLossText)}`;
  return [ratesText(path), rttsText(path), losses, ...besideText(path)].join(', ');
}

/**
 * Describes `path`, the settings of the path at one moment of a run. Unlike {@link describePath}, this function also
 * says if single panes drop packets, because the run then has losses that the path does not have.
 */
export function describeRunPath(scenario: Pick<Scenario, 'panes'>, path: PathSettings): string {
  if (!hasOwnDrops(scenario)) return describePath(path);
  const text = linkText(path);
  const besides = text.endsWith(NO_LOSS) ? ' except' : ', and';
  const link = `${text.replace(/, no other$/, '')}${besides} packets that only some panes lose`;
  return [link, ...sharersText(path)].join(', ');
}

/**
 * Describes the losses of both directions. If only listed packets of the direction down are lost, the text ends with
 * 'no other' instead of 'no loss' for the direction up.
 */
function lossesText({down, up}: BothWays<Loss>): string {
  const same = lossText(down, '');
  if (same === lossText(up, '')) return same === NO_LOSS ? same : lossText(down, ' in both directions');
  if (lossText(up, '') === NO_LOSS && down.model === 'list') return `${lossText(down, ' on the way down')}, no other`;
  const [downText, upText] = [lossText(down, ' down'), lossText(up, ' up')];
  return `${downText === NO_LOSS ? `${NO_LOSS} down` : downText} and ${upText === NO_LOSS ? `${NO_LOSS} up` : upText}`;
}

/** Describes the counts of a running path's packets, for people: `has lost 3 of 93 packets down and 2 of 80 up`. */
export function describeCounts({down, up}: BothWays<PathCounts>): string {
  const all = ({passed, lost, queueFull, early, policed, tooLarge, handedOver}: PathCounts): number =>
    passed + lost + queueFull + early + policed + tooLarge + handedOver;
  if (all(down) + all(up) === 0) return 'has had no packets yet';
  const full = down.queueFull + up.queueFull;
  const large = down.tooLarge + up.tooLarge;
  return [
    `has lost ${down.lost} of ${all(down)} packets down and ${up.lost} of ${all(up)} up`,
    ...(full > 0 ? [`dropped ${full} at a full queue`] : []),
    ...OTHER_COUNTS.flatMap(([key, verb, rest]) => {
      const sum = down[key] + up[key];
      return sum > 0 ? [`${verb} ${sum} ${rest}`] : [];
    }),
    ...(large > 0 ? [`dropped ${large} larger than its MTU`] : []),
  ].join(', ');
}

const OTHER_COUNTS: readonly (readonly [key: keyof PathCounts, verb: string, rest: string])[] = [
  ['early', 'dropped', 'to signal congestion'],
  ['policed', 'dropped', 'at the policer'],
  ['marked', 'marked', 'to signal congestion'],
  ['copied', 'delivered', 'twice'],
  ['handedOver', 'lost', 'by hand-overs'],
];

/** Describes a seed: `seed 37, the typical one of 200`, or `seed 5, one run` if the seed is not known to be typical. */
export function describeSeed({seed, typicalOf}: Pick<Scenario, 'seed' | 'typicalOf'>): string {
  return typicalOf === null ? `seed ${seed}, one run` : `seed ${seed}, the typical one of ${typicalOf}`;
}

/**
 * Describes a change of the path, for people: `loss 4 % → 20 % down, rate 56 → 200 kbit/s`. Empty if nothing changes.
 */
export function describeChange(before: PathSettings, after: PathSettings): string {
  return [
    changeOf('loss', before.loss, after.loss, shortLossText),
    changeOf('rate', before.rateBps, after.rateBps, rateText),
    changeOf('trace', tracesOf(before, 'trace'), tracesOf(after, 'trace'), traceOrNone),
    changeOf('delay', tracesOf(before, 'delayTrace'), tracesOf(after, 'delayTrace'), traceOrNone),
    changeOf('RTT', before.rttMs, after.rttMs, ms => `${ms} ms`),
    changeOf('queue', before.queuePackets, after.queuePackets, packets => `${packets} packets`),
    ...PART_KEYS.map(key => {
      const of = (path: PathParts): BothWays<string> => ({
        down: path[key]?.down ? partText(key, path[key].down, rateText) : 'none',
        up: path[key]?.up ? partText(key, path[key].up, rateText) : 'none',
      });
      return changeOf(key, of(before), of(after), text => text);
    }),
  ]
    .filter(text => text !== '')
    .join(', ');
}

function tracesOf({down, up}: PathSettings, key: keyof DirectionTraces): BothWays<TraceSettings | null | undefined> {
  return {down: down?.[key], up: up?.[key]};
}

/** Describes a trace with all of its settings, so that different settings give different texts. */
function traceOrNone(trace: TraceSettings | null | undefined): string {
  if (!trace) return 'none';
  const {startMs, repeats} = trace;
  const start = startMs === 0 ? '' : startMs === 'random' ? ' from a random time' : ` from ${startMs / 1000} s`;
  return `${traceText(trace)}${start}${repeats ? '' : ', once'}`;
}

function changeOf<T>(name: string, before: BothWays<T>, after: BothWays<T>, textOf: (value: T) => string): string {
  const [down, up] = (['down', 'up'] as const).map(way => arrow(textOf(before[way]), textOf(after[way])));
  if (down === up) return down ? `${name} ${down}` : '';
  const ways = [...(down ? [`${down} down`] : []), ...(up ? [`${up} up`] : [])];
  return `${name} ${ways.join(' and ')}`;
}

/** Describes a change of one value: `56 → 200 kbit/s`. Undefined if nothing changes. */
function arrow(before: string, after: string): string | undefined {
  if (before === after) return undefined;
  const [, number, unit] = /^([\d.]+) ([^\s%]+)$/.exec(before) ?? [];
  return unit !== undefined && after.endsWith(` ${unit}`) ? `${number} → ${after}` : `${before} → ${after}`;
}

function bothWays<T>(both: BothWays<T>, text: (value: T) => string): string {
  const [down, up] = [text(both.down), text(both.up)];
  return down === up ? down : `${down} down and ${up} up`;
}

/** Writes a rate in the unit that fits it: `56 kbit/s`, `1.6 Mbit/s`. */
export function rateText(bps: number): string {
  const [divisor, unit] = UNITS.find(([least]) => bps >= least) ?? [1, 'bit/s'];
  return `${short(bps / divisor)} ${unit}`;
}

/**
 * Describes a loss, to be written after a text that already says 'loss': `3 %`, `5 % of data packets in bursts of 4
 * packets on average`, `exactly packets 3 and 17`.
 */
export function shortLossText(loss: Loss): string {
  const text = modelText(loss);
  return text === '0 %' ? text : `${text}${placeText(loss)}`;
}

/** Describes a value of the key `path.loss` like {@link shortLossText}. Undefined if the value is not a valid loss. */
export function lossValueText(value: Json): string | undefined {
  const parsed = loss(value, '', []);
  return parsed === INVALID ? undefined : shortLossText(parsed);
}

/** Says where packets are lost. The text is empty if this is the entry of the path, which is the default. */
function placeText({at}: Loss): string {
  return at === 'exit' ? ' behind the link' : '';
}

function modelText(loss: Loss): string {
  const ofData = loss.applies === 'data' ? ' of data packets' : '';
  switch (loss.model) {
    case 'bernoulli':
      return rateOf(loss.rate, ofData);
    case 'gilbert-elliott':
      return [rateOf(meanLossRate(loss), ofData), ...burstWords(loss)].join(' ');
    case 'list':
      if (loss.packets.length === 0) return '0 %';
      return `exactly ${ofData === '' ? '' : 'data '}packet${loss.packets.length === 1 ? '' : 's'} ${listText(loss.packets)}`;
  }
}

/** Describes a loss and its direction: `5 % of packets lost down, in bursts of 4 packets on average`. */
function lossText(loss: Loss, way: string): string {
  if (modelText(loss) === '0 %') return NO_LOSS;
  const ofData = loss.applies === 'data' ? 'data packets' : 'packets';
  const where = `${placeText(loss)}${way}`;
  switch (loss.model) {
    case 'bernoulli':
      return `${rateOf(loss.rate, '')} of ${ofData} lost${where}`;
    case 'gilbert-elliott':
      return [`${rateOf(meanLossRate(loss), '')} of ${ofData} lost${where}`, ...burstWords(loss)].join(', ');
    case 'list':
      return `${modelText(loss)} lost${where}`;
  }
}

function rateOf(rate: number, ofWhat: string): string {
  return rate === 0 ? '0 %' : `${short(rate * 100)} %${ofWhat}`;
}

/** Says how the losses of a Gilbert–Elliott model cluster. Its bad state lasts 1 / r packets on average. */
function burstWords({p, r, h, k}: Extract<Loss, {model: 'gilbert-elliott'}>): readonly string[] {
  if (p === 0 || h === k) return [];
  const length = r === 0 ? 'without an end' : `of ${short(1 / r)} packets on average`;
  if (h === 0 && k === 1) return [`in bursts ${length}`];
  return [`in bursts ${length} (${short(100 * (1 - h))} % lost within, ${short(100 * (1 - k))} % between)`];
}

/** Lists the first packets only, because a scenario file may list a hundred thousand. */
function listText(packets: readonly number[]): string {
  const shown = packets.slice(0, SHOWN_PACKETS).map(String);
  return joined(packets.length > SHOWN_PACKETS ? [...shown, `${packets.length - SHOWN_PACKETS} more`] : shown);
}

const NO_LOSS = 'no loss';

const SHOWN_PACKETS = 12;

/** Rounds to three significant digits. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

const UNITS: readonly (readonly [least: number, unit: string])[] = [
  [1e9, 'Gbit/s'],
  [1e6, 'Mbit/s'],
  [1e3, 'kbit/s'],
];
