import {streamsText} from '../pipelines/words.ts';
import {seedsText} from '../scenario/seeds.ts';
import type {Advice, AimAdvice, CandidateStanding} from './advice.ts';
import type {Candidate} from './candidates.ts';
import type {HelpName} from './helpList.ts';
import {type Helped, type HelpPlan, isSure, leastSeeds} from './helps.ts';

/**
 * The advice for one aim, in sentences: what is best, what these seeds do not tell from it, how far what is set now is
 * behind, and what never came.
 */
export function adviceText(own: AimAdvice, {candidates, seeds}: Advice): string {
  const {aim, best, standings, isChance} = own;
  const [candidate, standing] = [candidates[best], standings[best]];
  if (candidate === undefined || standing === undefined) return '';
  const time = isChance ? withInterval(standing.meanMs, standing.ci95Ms) : seconds(standing.meanMs);
  const of = isChance ? `, the mean of ${seeds} seeds` : '; every seed gives the same';
  const said = `${aim.said} with ${settingText(candidate)}: ${time}${of}.`;
  return [said, levelText(own, candidates, seeds), nowText(own, candidates), neverText(own)]
    .filter(text => text !== '')
    .join(' ');
}

/** `10 streams, round-robin`. */
export function settingText({streams, scheduler}: Pick<Candidate, 'streams' | 'scheduler'>): string {
  return streams === null ? scheduler : `${streamsText(streams)}, ${scheduler}`;
}

/** Which settings may be as good. */
function levelText(own: AimAdvice, candidates: readonly Candidate[], seeds: number): string {
  const {best, standings, isChance} = own;
  const level = candidates.filter((_, i) => standings[i]?.isLevel === true && i !== best);
  if (seeds < 2) return 'One seed tells nothing apart.';
  if (level.length === candidates.length - 1) {
    return isChance
      ? `Neither streams nor scheduler make a difference that ${seeds} seeds show.`
      : 'Neither streams nor scheduler change anything.';
  }
  if (level.length === 0) return isChance ? 'All others are later, beyond chance.' : 'All others are later.';
  const parts = levelParts(candidates[best], level);
  const [last = '', isOne] = [parts.at(-1), level.length === 1 && !parts[0]?.endsWith('streams')];
  const all = parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  const chance = `${isOne ? 'makes' : 'make'} no difference that ${seeds} seeds show`;
  return `${capital(all)} ${isChance ? chance : `${isOne ? 'is' : 'are'} exactly as soon`}.`;
}

/** `4–10 streams`, `weighted with 7 streams`, and how many others; all of them are counted. */
function levelParts(best: Candidate | undefined, level: readonly Candidate[]): readonly string[] {
  const counts = [best, ...level]
    .filter(each => each?.scheduler === best?.scheduler)
    .map(each => each?.streams ?? null)
    .filter(count => count !== null)
    .sort((a, b) => a - b);
  const schedulers = level
    .filter(({streams, scheduler}) => streams === best?.streams && scheduler !== best?.scheduler)
    .map(({scheduler}) => scheduler);
  const ranges = seedsText(counts).replaceAll(',', ', ').replaceAll('-', '–');
  const beside = best === undefined || best.streams === null ? '' : ` with ${streamsText(best.streams)}`;
  const others = level.length - Math.max(counts.length - 1, 0) - schedulers.length;
  return [
    ...(counts.length < 2 ? [] : [`${ranges} streams`]),
    ...schedulers.map(each => `${each}${beside}`),
    ...(others === 0 ? [] : [`${others} other ${others === 1 ? 'setting' : 'settings'}`]),
  ];
}

function nowText({best, now, standings}: AimAdvice, candidates: readonly Candidate[]): string {
  const [own, standing] = [candidates[now ?? -1], standings[now ?? -1]];
  if (own === undefined || standing === undefined) return '';
  if (now === best) return 'It is set so now.';
  if (standing.isLevel) return `What is set now (${settingText(own)}) is level with it.`;
  return `As it is set now (${settingText(own)}), it takes ${difference(standing.behindMs)} longer.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** They count as the time limit, which says how late they are at least. */
function neverText({standings}: AimAdvice): string {
  const some = standings.filter(({never}) => never > 0);
  const loads = some.reduce((sum, {never}) => sum + never, 0);
  if (loads === 0) return '';
  return `In ${loads} loads of ${some.length} settings it never came: they count as the time limit.`;
}

/** What saves most for an aim, of what is more than chance; `helped` is all that was tried for it, with `seeds`. */
export function helpText(helped: readonly Helped[], names: readonly string[], seeds: number): string {
  const sure = helped.filter(each => isSure(each) && each.savedMs > 0);
  const [most] = sure.toSorted((a, b) => b.savedMs - a.savedMs);
  if (most === undefined) {
    const least = leastSeeds(helped);
    if (seeds < least) return `Nothing can be told from chance with so few seeds: it takes ${least} or more.`;
    return 'Nothing that was tried helps beyond chance.';
  }
  const {savedMs, ci95Ms, ofMs, side, label} = most;
  return `Most is saved with ${label} (${names[side]}): ${withInterval(savedMs, ci95Ms)} of ${seconds(ofMs)}.`;
}

/** What of a change cannot be relied on; empty if all can. */
export function doubtText(each: Helped): string {
  if (each.savedMs === 0 && each.ci95Ms === 0) return 'the same';
  return isSure(each) ? '' : 'may be chance';
}

/** `TCP: no newer stack: its stack is the modern one`. */
export function absentHelpText(
  {side, help, why}: HelpPlan['absent'][number],
  names: readonly string[],
): string {
  return `${names[side]}: no ${HELP_WORDS[help]}: ${why}`;
}

const HELP_WORDS: {readonly [help in HelpName]: string} = {
  progressive: 'progressive pictures',
  streams: 'other streams',
  stack: 'newer stack',
  'round-trip': 'round trip less',
};

/** `8.21 ± 0.64 s`. */
export function withInterval(ms: number, ci95Ms: number | null): string {
  return ci95Ms === null ? seconds(ms) : `${number(ms)} ± ${number(ci95Ms)} s`;
}

/** `8.21 s`. */
export function seconds(ms: number): string {
  return `${number(ms)} s`;
}

/** What is there, and too little to be seen in seconds, is no `0.00 s`. */
function difference(ms: number): string {
  return ms > 0 && ms < LEAST_SHOWN_MS ? `less than ${seconds(LEAST_SHOWN_MS)}` : seconds(ms);
}

/** As far as times are told. */
const LEAST_SHOWN_MS = 10;

function number(ms: number): string {
  const text = (ms / 1000).toFixed(Math.abs(ms) < 10_000 ? 2 : 1);
  return text.replace(/^-(0\.0+)$/, '$1').replace('-', '−');
}

/** What a candidate is told by where it is pointed at. */
export function standingText(
  candidate: Candidate,
  {meanMs, ci95Ms, behindMs, isLevel, never}: CandidateStanding,
): readonly string[] {
  const level = isLevel ? 'may be as good as the best' : `${difference(behindMs)} later than the best`;
  return [
    settingText(candidate),
    `mean ${withInterval(meanMs, ci95Ms)} (95 % interval)`,
    behindMs === 0 ? 'the best, or exactly as good' : level,
    ...(never === 0 ? [] : [`${never} never`]),
  ];
}
