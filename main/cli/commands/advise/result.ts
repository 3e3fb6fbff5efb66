import type {Json} from '../../../../app/base/json.ts';
import {type PageStamp, pageStamp} from '../../../../app/page/page.ts';
import {pipelineOf} from '../../../../app/pipelines/index.ts';
import {paneDocument, scenarioDocument} from '../../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import {seedsText} from '../../../../app/run/scenario/seeds.ts';
import type {Advice, AimAdvice} from '../../../../app/study/advice/advice.ts';
import {
  absentHelpText,
  adviceText,
  browserText,
  doubtText,
  helpText,
  rivalText,
  seconds,
  withInterval,
} from '../../../../app/study/advice/adviceTexts.ts';
import {AIMS, type AimName} from '../../../../app/study/advice/aims.ts';
import type {AdvisedPane, Candidate} from '../../../../app/study/advice/candidates.ts';
import type {HelpName} from '../../../../app/study/advice/helpList.ts';
import type {Helped} from '../../../../app/study/advice/helps.ts';
import {type RemovableCause, removableText} from '../../../../app/study/advice/removableCause.ts';
import type {AdvisedLoads} from '../../../jobs/advice/adviseLoads.ts';
import {align, paneNames} from '../run/result.ts';

/** The result that `advise --json` prints. Panes are numbered from 1, and times are in ms. */
export interface AdviseResult {
  readonly scenario: Json;
  readonly page: PageStamp;
  /** The seeds on which settings were chosen, and the seeds on which savings were measured. */
  readonly seeds: {readonly chosen: string; readonly measured: string};
  /**
   * The pane whose streams are chosen. Null if no pane has streams; the first pane is then loaded over SCTP instead of
   * its own protocol.
   */
  readonly pane: number | null;
  /** The best streams and scheduler for each aim. */
  readonly aims: readonly {
    readonly aim: AimName;
    readonly text: string;
    readonly best: Setting;
    /** The pane's present setting. Null if it is not among the candidates. */
    readonly now: Setting | null;
    readonly candidates: readonly (Setting & CandidateNumbers)[];
  }[];
  /** The best protocol of browsers for each aim. */
  readonly browsers: readonly {
    readonly aim: AimName;
    readonly text: string;
    readonly best: Way;
    readonly candidates: readonly (Way & CandidateNumbers)[];
  }[];
  /** For each aim, the best streams compared with the best protocol of browsers. */
  readonly rivals: readonly {
    readonly aim: AimName;
    readonly text: string;
    readonly browser: string;
    readonly streams: string;
    readonly behindMs: number;
    readonly ci95Ms: number | null;
    readonly p: number | null;
  }[];
  /** Aims that do not apply to this page, or that were not measured. */
  readonly absent: readonly AimName[];
  /**
   * What each change of a pane saves for an aim: `savedMs` of `ofMs`, the mean time that the pane needs without the
   * change.
   */
  readonly helps: readonly {
    readonly pane: number;
    readonly help: HelpName;
    readonly label: string;
    readonly aim: AimName;
    /**
     * Whether a site can choose this change. False if no browser supports it, or if it leaves out TLS, which every site
     * needs.
     */
    readonly isOption: boolean;
    readonly savedMs: number;
    readonly ci95Ms: number | null;
    readonly ofMs: number;
    readonly pHolm: number | null;
    /** The settings of the pane with this change. */
    readonly settings: Json;
  }[];
  /**
   * Causes of a pane's time that can be taken away. For each of them: how much earlier the page is complete in another
   * load without the cause, and how much time is attributed to the cause. The largest saving comes first.
   */
  readonly causes: readonly (Omit<RemovableCause, 'side'> & {readonly pane: number})[];
  /** Changes that cannot be made to a pane, and why. */
  readonly cannot: readonly {readonly pane: number; readonly help: HelpName; readonly why: string}[];
  readonly methods: {readonly [name: string]: string};
}

interface Setting {
  readonly streams: number | null;
  readonly scheduler: string | null;
}

interface Way {
  readonly name: string;
  /** A pane's settings. */
  readonly settings: Json;
}

interface CandidateNumbers {
  readonly meanMs: number;
  readonly medianMs: number;
  readonly ci95Ms: number | null;
  readonly behindMs: number;
  readonly behindCi95Ms: number | null;
  readonly isLevel: boolean;
  readonly never: number;
}

export function adviseResult(
  scenario: Scenario,
  page: PageStamp,
  seeds: readonly number[],
  {advised: {number}, answers: {streams, browsers}, plan, helped, rivals, causes, freshSeeds}: AdvisedLoads,
): AdviseResult {
  return {
    scenario: scenarioDocument(scenario),
    page: pageStamp(page),
    seeds: {chosen: seedsText(seeds), measured: seedsText(freshSeeds)},
    pane: number === null ? null : number + 1,
    aims: streams.aims.map(own => ({
      aim: own.aim.name,
      text: adviceText(own, streams),
      now: settingOf(streams.candidates[own.now ?? -1]),
      best: settingOf(streams.candidates[own.best]) ?? {streams: null, scheduler: null},
      candidates: numbered(own, streams, each => settingOf(each) as Setting),
    })),
    browsers: browsers.aims.map(own => ({
      aim: own.aim.name,
      text: browserText(own, browsers),
      best: wayOf(browsers.candidates[own.best]),
      candidates: numbered(own, browsers, wayOf),
    })),
    rivals: rivals.map(each => ({
      aim: each.aim.name,
      text: rivalText(each),
      browser: each.browser.name,
      streams: each.streams.name,
      behindMs: each.behindMs,
      ci95Ms: each.ci95Ms,
      p: each.p,
    })),
    absent: streams.absent.map(({name}) => name),
    helps: helped.map(({side, help, label, aim, pane, isOption, savedMs, ci95Ms, ofMs, pHolm}) => ({
      pane: side + 1,
      help,
      label,
      aim: aim.name,
      isOption,
      savedMs,
      ci95Ms,
      ofMs,
      pHolm,
      settings: paneDocument(pane),
    })),
    causes: causes.map(({side, ...cause}) => ({pane: side + 1, ...cause})),
    cannot: plan.absent.map(({side, help, why}) => ({pane: side + 1, help, why})),
    methods: METHODS,
  };
}

function numbered<T>({standings}: AimAdvice, {candidates}: Advice, of: (candidate: Candidate) => T) {
  return candidates.flatMap((candidate, i) => {
    const standing = standings[i];
    return standing === undefined ? [] : [{...of(candidate), ...standing}];
  });
}

function settingOf(candidate: Candidate | undefined): Setting | null {
  return candidate === undefined ? null : {streams: candidate.streams, scheduler: candidate.scheduler};
}

function wayOf(candidate: Candidate | undefined): Way {
  return {
    name: candidate?.name ?? '',
    settings: candidate === undefined ? null : paneDocument(candidate.pane),
  };
}

/** How each number was computed. */
const METHODS: AdviseResult['methods'] = {
  aims: AIMS.map(({name, label, from}) => `${name}: ${label}, from ${from}`).join('; '),
  browsers:
    'all protocols that a browser could use, with TLS: HTTP/1.1 on six connections, HTTP/2 and HTTP/3 with every ' +
    'scheduler of a server; stack, buffer and pictures are those of the pane with the streams',
  mean:
    'over all chosen seeds; a load that never reaches the aim counts as the time limit; "never" is the number of ' +
    'such loads',
  ci95Ms: 'half-width of the 95 % confidence interval of the mean, Student’s t',
  best: 'the least mean; of equal ones, the one with the fewest streams, or the first',
  behindMs: 'mean difference from the best, over pairs of the same seed',
  behindCi95Ms:
    'half-width of the interval of behindMs that decides isLevel; its level is 1 − 0.05 / (number of settings − 1) ' +
    '(Bonferroni)',
  isLevel:
    'true if the interval of behindMs reaches 0; with 95 % confidence, the truly best setting is the best or a level ' +
    'one',
  rivals:
    'the best streams minus the best protocol of browsers, over pairs of the same measured seed; p is Wilcoxon’s ' +
    'signed-rank test of those pairs',
  helps: 'the pane without the change minus the pane with the change, over pairs of the same measured seed',
  causes:
    'for up to 20 of the measured seeds, the load without the cause is compared with the load with it (interleave why ' +
    '--interventions); "found" is the number of loads in which the cause has time on the critical path',
  isOption:
    'whether a site could choose the change and browsers support it; the summary sentence names these changes first',
  pHolm:
    'p of Wilcoxon’s signed-rank test of the pairs of "helps", with Holm’s correction over all changes for that aim',
};

/** Returns sentences and tables for people, which say what is best for each aim and what would help. */
export function adviseTable(
  scenario: Scenario,
  seeds: readonly number[],
  {advised, answers: {streams, browsers}, plan, helped, rivals, causes, freshSeeds}: AdvisedLoads,
): string {
  const names = paneNames(scenario.panes);
  const lines = streams.aims.flatMap(own => {
    const other = browsers.aims.find(({aim}) => aim === own.aim);
    const rival = rivals.find(({aim}) => aim === own.aim);
    return [
      ...(other === undefined
        ? []
        : [browserText(other, browsers), levelTable(other, browsers, browsers.candidates.length), '']),
      adviceText(own, streams),
      levelTable(own, streams, SHOWN),
      ...(rival === undefined ? [] : [`${rivalText(rival)} (Seeds ${seedsText(freshSeeds)}.)`]),
      '',
    ];
  });
  const helps = streams.aims.flatMap(({aim}) => {
    const own = helped.filter(each => each.aim === aim);
    return own.length === 0
      ? []
      : [`${aim.label}: ${helpText(own, names, freshSeeds.length)}`, helpTable(own, names), ''];
  });
  const removable = removableText(causes, names);
  return [
    `${advisedText(advised)}; seeds ${seedsText(seeds)}`,
    ...streams.aims.map(({aim}) => `${aim.label} is measured from ${aim.from}`),
    ...streams.absent.map(({name, label}) => `${label}: ${ABSENT[name]}`),
    '',
    ...lines,
    ...(helps.length === 0
      ? []
      : [`What would help: each change by itself, seeds ${seedsText(freshSeeds)}`, '', ...helps]),
    ...(removable === '' ? [] : [removable, '']),
    ...plan.absent.map(each => absentHelpText(each, names)),
  ]
    .map(line => `${line}\n`)
    .join('');
}

function advisedText({number, pane}: AdvisedPane): string {
  const {label} = pipelineOf(pane.pipeline);
  const streams =
    number === null ? `${label}, because no pane has streams` : `the streams of pane ${number + 1} (${label})`;
  return `compared: the protocols of browsers, and ${streams}`;
}

/** Returns a table with the best candidate, the next best ones, and the present setting. */
function levelTable({best, now, standings}: AimAdvice, {candidates}: Advice, shown: number): string {
  const order = [...candidates.keys()].sort((a, b) => {
    return (standings[a]?.behindMs ?? 0) - (standings[b]?.behindMs ?? 0) || a - b;
  });
  const [first, ...others] = [...new Set([best, ...order.slice(0, shown), ...(now === null ? [] : [now])])];
  const rows = [first, ...others].map(i => {
    const [candidate, standing] = [candidates[i ?? 0], standings[i ?? 0]];
    if (candidate === undefined || standing === undefined) return ['', '', '', ''];
    const {meanMs, ci95Ms, behindMs, behindCi95Ms, isLevel} = standing;
    return [
      `  ${candidate.name}`,
      withInterval(meanMs, ci95Ms),
      i === best ? '' : `+ ${withInterval(behindMs, behindCi95Ms)}`,
      i === best ? 'best' : isLevel ? 'level' : i === now ? 'now' : '',
    ];
  });
  return align([['', 'mean', 'behind the best', ''], ...rows]).trimEnd();
}

function helpTable(helped: readonly Helped[], names: readonly string[]): string {
  const rows = helped.map(each => [
    `  ${names[each.side]}: ${each.label}`,
    withInterval(each.savedMs, each.ci95Ms),
    seconds(each.ofMs),
    doubtText(each),
  ]);
  return align([['', 'saves', 'of', ''], ...rows]).trimEnd();
}

const ABSENT: {readonly [aim in AimName]: string} = {
  recognisable: 'not measured: --visual is missing, or the page has no pictures (logos and icons do not count)',
  speedIndex: 'not measured: --visual is missing',
  firstPicture: 'the page has no pictures',
  complete: 'not known',
  pageTime: 'not known',
};

/** How many of the best candidates a table of streams shows. The table always shows the present setting as well. */
const SHOWN = 6;
