import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {streamsText} from '../../pipelines/settingTexts.ts';
import {seedsText} from '../../run/scenario/seeds.ts';
import type {Advice, AimAdvice, CandidateStanding} from './advice.ts';
import type {Candidate} from './candidates.ts';
import {type HelpName, hasBrowser} from './helpList.ts';
import {
  type Helped,
  type HelpPlan,
  isSignificant,
  isSignificantDifference,
  leastSeeds,
  type RivalResult,
} from './helps.ts';

/**
 * The advice on streams for one aim (a time that should be short, such as the time until the page is complete), in
 * sentences: the best setting, the settings that may be as good, how the current setting compares with the best, a
 * setting with a smaller median, and the number of loads in which the event of the aim never happened.
 */
export function adviceText(own: AimAdvice, {candidates, seeds}: Advice): string {
  const candidate = candidates[own.best];
  if (candidate === undefined) return '';
  const said = `${overText(candidate)}, ${own.aim.said} with ${candidate.name}: ${bestTime(own, seeds)}.`;
  const level = levelText(own, {
    candidates,
    seeds,
    parts: levelParts,
    none: 'no other setting is',
    nothing: 'Neither streams nor scheduler change anything',
  });
  return sentences(said, level, nowText(own, candidates), medianText(own, candidates), neverText(own));
}

/** The advice on the protocols of browsers for one aim, in sentences. */
export function browserText(own: AimAdvice, {candidates, seeds}: Advice): string {
  const candidate = candidates[own.best];
  if (candidate === undefined) return '';
  const said = `Among the protocols of browsers, ${own.aim.said} with ${candidate.name}: ${bestTime(own, seeds)}.`;
  const level = levelText(own, {
    candidates,
    seeds,
    parts: (_, others) => namesOf(others),
    none: 'none of the others is',
    nothing: 'All others take exactly as long',
  });
  return sentences(said, level, medianText(own, candidates), neverText(own));
}

/**
 * Compares the best setting of streams with the best protocol of browsers, on seeds that were not used to choose these
 * two.
 */
export function rivalText({browser, streams, behindMs, ci95Ms, p}: RivalResult): string {
  const said = `${overText(streams)}, with ${streams.name}`;
  const isSame = behindMs === 0 && (ci95Ms === null || ci95Ms === 0);
  if (isSame) return `${said} it takes exactly as long as with ${browser.name}.`;
  const time = withInterval(Math.abs(behindMs), ci95Ms);
  const doubt = isSignificantDifference(behindMs, ci95Ms, p) ? '' : ', which may be due to chance';
  return `${said} it takes ${time} ${behindMs < 0 ? 'less' : 'longer'} than with ${browser.name}${doubt}.`;
}

/** The beginning of a sentence about a pane: `Over SCTP (no browser supports it; without TLS)`. */
function overText({pane}: {readonly pane: Pane}): string {
  const {label, setUp} = pipelineOf(pane.pipeline);
  const notes = [
    ...(hasBrowser({pane}) ? [] : ['no browser supports it']),
    ...(setUp(pane)?.hasTls ? [] : ['without TLS']),
  ];
  return `Over ${label}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

function bestTime({best, standings, isChance}: AimAdvice, seeds: number): string {
  const {meanMs = 0, ci95Ms = null} = standings[best] ?? {};
  if (!isChance) return `${seconds(meanMs)}; every seed gives the same time`;
  return `${withInterval(meanMs, ci95Ms)}, the mean of ${seeds} seeds`;
}

function sentences(...texts: readonly string[]): string {
  return texts.filter(text => text !== '').join(' ');
}

interface LevelWords {
  readonly candidates: readonly Candidate[];
  readonly seeds: number;
  /**
   * Returns names for the candidates (ways to load the page) that may be as good as the best. A name may cover several
   * candidates.
   */
  readonly parts: (best: Candidate | undefined, level: readonly Candidate[]) => readonly string[];
  /** The subject and verb of the sentence if no difference is significant. */
  readonly none: string;
  /** The sentence, without its full stop, if all times are equal. */
  readonly nothing: string;
}

/** The sentence about the candidates that may be as good as the best. */
function levelText(
  {best, standings, isChance}: AimAdvice,
  {candidates, seeds, parts: partsOf, none, nothing}: LevelWords,
): string {
  const level = candidates.filter((_, i) => standings[i]?.isLevel === true && i !== best);
  if (candidates.length < 2) return '';
  if (seeds < 2) return 'A single seed cannot show any difference.';
  if (level.length === candidates.length - 1) {
    return isChance ? `With ${seeds} seeds, ${none} significantly later than the best.` : `${nothing}.`;
  }
  if (level.length === 0) return isChance ? 'All others are significantly later.' : 'All others are later.';
  const parts = partsOf(candidates[best], level);
  const [last = '', isOne] = [parts.at(-1), level.length === 1 && !parts[0]?.endsWith('streams')];
  const all = parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
  if (!isChance) return `${capital(all)} ${isOne ? 'takes' : 'take'} exactly as long.`;
  return `${capital(all)} ${isOne ? 'is' : 'are'} not significantly later than the best (with ${seeds} seeds).`;
}

/** The first few names, and the number of the others. */
function namesOf(level: readonly Candidate[]): readonly string[] {
  const others = level.length - MOST_NAMES;
  const names = level.slice(0, MOST_NAMES).map(({name}) => name);
  return others > 0 ? [...names, `${others} other ${others === 1 ? 'way' : 'ways'}`] : names;
}

const MOST_NAMES = 4;

/** Names like `4–10 streams` and `weighted with 7 streams`, and the number of the other settings. */
function levelParts(best: Candidate | undefined, level: readonly Candidate[]): readonly string[] {
  const counts = [best, ...level]
    .filter(each => each?.scheduler === best?.scheduler)
    .map(each => each?.streams ?? null)
    .filter(count => count !== null)
    .sort((a, b) => a - b);
  const schedulers = level
    .filter(({streams, scheduler}) => streams === best?.streams && scheduler !== best?.scheduler)
    .flatMap(({scheduler}) => scheduler ?? []);
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
  if (now === best) return 'This is the current setting.';
  if (standing.isLevel) return `The current setting (${own.name}) may be as good.`;
  return `The current setting (${own.name}) takes ${difference(standing.behindMs)} longer.`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/**
 * The sentence about the candidate with the smallest median. It is empty unless that median is more than 5 % below the
 * median of the best, which is the candidate with the smallest mean.
 */
function medianText({best, standings}: AimAdvice, candidates: readonly Candidate[]): string {
  const medians = standings.map(({medianMs}) => medianMs);
  const least = medians.indexOf(Math.min(...medians));
  const [own = 0, leastMs = 0] = [medians[best], medians[least]];
  const usual = candidates[least];
  if (usual === undefined || leastMs >= (1 - LEAST_SHARE) * own) return '';
  return (
    `The median is smallest with ${usual.name}: ${seconds(leastMs)}, against ${seconds(own)} for the best. The mean ` +
    `with ${usual.name} is larger than that of the best, because a few loads wait long.`
  );
}

/** The smallest difference of medians that is worth a sentence, as a share of the best candidate's median. */
const LEAST_SHARE = 0.05;

/** The sentence about loads in which the aim's event never happened. */
function neverText({standings}: AimAdvice): string {
  const some = standings.filter(({never}) => never > 0);
  const loads = some.reduce((sum, {never}) => sum + never, 0);
  if (loads === 0) return '';
  if (loads === 1) return 'In 1 load, this event never happened. The time limit is used as its time.';
  const where = some.length === 1 ? 'of 1 setting' : `in total, over ${some.length} settings`;
  return `In ${loads} loads ${where}, this event never happened. The time limit is used as their time.`;
}

/**
 * Names the change with the largest significant saving for an aim. Only changes that a site could choose and browsers
 * support are considered. A second sentence names a change that no browser supports, if it saves more. `helped` has
 * all changes that were tried for the aim, with `seeds` seeds.
 */
export function helpText(helped: readonly Helped[], names: readonly string[], seeds: number): string {
  const sure = helped.filter(each => isSignificant(each) && each.savedMs > 0).toSorted((a, b) => b.savedMs - a.savedMs);
  const most = sure.find(({isOption}) => isOption);
  const beyond = sure.find(({pane}) => !hasBrowser({pane}));
  const saving = ({savedMs, ci95Ms, ofMs, side, label}: Helped): string =>
    `${label} (${names[side]}): ${withInterval(savedMs, ci95Ms)} of ${seconds(ofMs)}.`;
  const isMore = beyond !== undefined && beyond.savedMs > (most?.savedMs ?? 0);
  return sentences(
    most === undefined ? nothingText(helped, seeds) : `The largest saving is with ${saving(most)}`,
    isMore ? `A change that no browser supports would save more: ${saving(beyond)}` : '',
  );
}

function nothingText(helped: readonly Helped[], seeds: number): string {
  const least = leastSeeds(helped);
  if (seeds < least)
    return `With so few seeds every difference may be due to chance. At least ${least} seeds are needed.`;
  return 'No change that a site could choose saves a significant time.';
}

/**
 * A note on a change's saving: `the same` if there are several seeds and the change makes no difference with any of
 * them, otherwise `may be chance` if the saving is not significant. Empty if it is significant.
 */
export function doubtText(each: Helped): string {
  if (each.savedMs === 0 && each.ci95Ms === 0) return 'the same';
  return isSignificant(each) ? '' : 'may be chance';
}

/** Why a change does not apply: `TCP: no newer stack: its stack is the modern one already`. */
export function absentHelpText({side, help, why}: HelpPlan['absent'][number], names: readonly string[]): string {
  return `${names[side]}: no ${HELP_WORDS[help]}: ${why}`;
}

const HELP_WORDS: {readonly [help in HelpName]: string} = {
  progressive: 'progressive pictures',
  browser: 'other protocol of browsers',
  streams: 'other streams',
  stack: 'newer stack',
  'round-trip': 'shorter set-up',
};

/**
 * Writes a time with its interval: `8.21 ± 0.64 s`. Both have as many decimals as the larger number would have alone.
 * Without an interval, only the time is written.
 */
export function withInterval(ms: number, ci95Ms: number | null): string {
  if (ci95Ms === null) return seconds(ms);
  const digits = Math.min(digitsOf(ms), digitsOf(ci95Ms));
  return `${number(ms, digits)} ± ${number(ci95Ms, digits)} s`;
}

/** Writes a time in seconds: `8.21 s`, `0.451 s`. */
export function seconds(ms: number): string {
  return `${number(ms, digitsOf(ms))} s`;
}

/** Writes a difference, given in ms. If it is above 0 and below 1 ms, the text is `less than 0.001 s`. */
function difference(ms: number): string {
  return ms > 0 && ms < LEAST_SHOWN_MS ? `less than ${seconds(LEAST_SHOWN_MS)}` : seconds(ms);
}

/** The smallest difference above 0 that is shown as a number, ms. */
const LEAST_SHOWN_MS = 1;

/** The number of decimals of a time in s: 3 below 1 s, 2 below 10 s, and otherwise 1. */
function digitsOf(ms: number): number {
  if (Math.abs(ms) < 1000) return 3;
  return Math.abs(ms) < 10_000 ? 2 : 1;
}

function number(ms: number, digits: number): string {
  const text = (ms / 1000).toFixed(digits);
  return text.replace(/^-(0\.0+)$/, '$1').replace('-', '−');
}

/** The lines about the candidate under the pointer. */
export function standingText(
  candidate: Candidate,
  {meanMs, ci95Ms, behindMs, isLevel, never}: CandidateStanding,
): readonly string[] {
  const level = isLevel ? 'may be as good as the best' : `${difference(behindMs)} later than the best`;
  return [
    candidate.name,
    `mean ${withInterval(meanMs, ci95Ms)} (95 % interval)`,
    behindMs === 0 ? 'the best, or exactly as good' : level,
    ...(never === 0 ? [] : [`the event never happened in ${never} ${never === 1 ? 'load' : 'loads'}`]),
  ];
}
