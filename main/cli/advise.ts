import type {Advice, AimAdvice} from '../../app/advice/advice.ts';
import {AIMS, type AimName} from '../../app/advice/aims.ts';
import {type AdvisedPane, advisedPane} from '../../app/advice/candidates.ts';
import type {HelpName} from '../../app/advice/helpList.ts';
import type {Helped} from '../../app/advice/helps.ts';
import {
  absentHelpText,
  adviceText,
  doubtText,
  helpText,
  seconds,
  settingText,
  withInterval,
} from '../../app/advice/words.ts';
import {type PageStamp, pageStamp} from '../../app/page/page.ts';
import {pipelineOf} from '../../app/pipelines/index.ts';
import {type Json, paneDocument, scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {seedsText} from '../../app/scenario/seeds.ts';
import type {AdvisedLoads} from '../advice/adviseLoads.ts';
import {align, paneNames} from './result.ts';

/** What `advise --json` prints. Panes count from 1, times are ms. */
export interface AdviseResult {
  readonly scenario: Json;
  readonly page: PageStamp;
  /** That settings are chosen on, and that what helps is measured on. */
  readonly seeds: {readonly chosen: string; readonly measured: string};
  /** Of which pane; null where no pane has streams or a scheduler: SCTP's like the first. */
  readonly pane: number | null;
  readonly aims: readonly {
    readonly aim: AimName;
    readonly text: string;
    readonly best: Setting;
    /** Null if it is none of the candidates. */
    readonly now: Setting | null;
    readonly candidates: readonly (Setting & {
      readonly meanMs: number;
      readonly ci95Ms: number | null;
      readonly behindMs: number;
      readonly behindCi95Ms: number | null;
      readonly isLevel: boolean;
      readonly never: number;
    })[];
  }[];
  /** Aims that this page has not, or of which nothing is known. */
  readonly absent: readonly AimName[];
  readonly helps: readonly {
    readonly pane: number;
    readonly help: HelpName;
    readonly label: string;
    readonly aim: AimName;
    readonly savedMs: number;
    readonly ci95Ms: number | null;
    readonly ofMs: number;
    readonly pHolm: number | null;
    /** The pane as it would be. */
    readonly settings: Json;
  }[];
  /** Changes that a pane cannot have. */
  readonly cannot: readonly {readonly pane: number; readonly help: HelpName; readonly why: string}[];
  readonly methods: {readonly [name: string]: string};
}

interface Setting {
  readonly streams: number | null;
  readonly scheduler: string;
}

export function adviseResult(
  scenario: Scenario,
  page: PageStamp,
  seeds: readonly number[],
  {advice, plan, helped, freshSeeds}: AdvisedLoads,
): AdviseResult {
  const {number} = advisedPane(scenario);
  return {
    ...{scenario: scenarioDocument(scenario), page: pageStamp(page)},
    seeds: {chosen: seedsText(seeds), measured: seedsText(freshSeeds)},
    pane: number === null ? null : number + 1,
    aims: advice.aims.map(own => aimResult(own, advice)),
    absent: advice.absent.map(({name}) => name),
    helps: helped.map(({side, help, label, aim, pane, savedMs, ci95Ms, ofMs, pHolm}) => ({
      ...{pane: side + 1, help, label, aim: aim.name, savedMs, ci95Ms, ofMs, pHolm},
      settings: paneDocument(pane),
    })),
    cannot: plan.absent.map(({side, help, why}) => ({pane: side + 1, help, why})),
    methods: METHODS,
  };
}

function aimResult(own: AimAdvice, advice: Advice): AdviseResult['aims'][number] {
  const settings = advice.candidates.map(({streams, scheduler}): Setting => ({streams, scheduler}));
  const {aim, best, now, standings} = own;
  return {
    ...{aim: aim.name, text: adviceText(own, advice)},
    best: settings[best] ?? {streams: null, scheduler: ''},
    now: now === null ? null : (settings[now] ?? null),
    candidates: standings.map((standing, i) => ({...(settings[i] as Setting), ...standing})),
  };
}

/** How the numbers come about, for whoever reads them. */
const METHODS: AdviseResult['methods'] = {
  aims: AIMS.map(({name, label, from}) => `${name}: ${label}, from ${from}`).join('; '),
  mean: 'over all chosen seeds; a load in which it never came counts as the time limit, never counts those',
  ci95Ms: 'half-width of the 95 % confidence interval of the mean, Student’s t',
  best: 'the least mean; of equal ones the fewest streams',
  behindMs: 'mean difference from the best of pairs of the same seed',
  behindCi95Ms: 'half-width of its interval, of such confidence that all hold at once with 95 % (Bonferroni)',
  isLevel: 'that interval reaches 0: the truly best setting is one of these, with 95 %',
  helps:
    'the pane as it is minus the pane with the change, of pairs of the same seed, over the measured seeds',
  pHolm: 'Wilcoxon’s signed-rank test of those pairs, after Holm’s correction over all changes for that aim',
};

/** Sentences and a table for each aim, and what would help. */
export function adviseTable(
  scenario: Scenario,
  seeds: readonly number[],
  {advice, plan, helped, freshSeeds}: AdvisedLoads,
): string {
  const names = paneNames(scenario.panes);
  const lines = advice.aims.flatMap(own => [
    adviceText(own, advice),
    align(levelRows(own, advice)).trimEnd(),
    '',
  ]);
  const helps = advice.aims.flatMap(({aim}) => {
    const own = helped.filter(each => each.aim === aim);
    return own.length === 0
      ? []
      : [`${aim.label}: ${helpText(own, names, freshSeeds.length)}`, helpTable(own, names), ''];
  });
  return [
    `${advisedText(advisedPane(scenario), names)}; seeds ${seedsText(seeds)}`,
    ...advice.aims.map(({aim}) => `${aim.label} counts from ${aim.from}`),
    ...advice.absent.map(({name, label}) => `${label}: ${ABSENT[name]}`),
    '',
    ...lines,
    ...(helps.length === 0
      ? []
      : [`What would help, each alone, seeds ${seedsText(freshSeeds)}`, '', ...helps]),
    ...plan.absent.map(each => absentHelpText(each, names)),
  ]
    .map(line => `${line}\n`)
    .join('');
}

function advisedText({number, pane}: AdvisedPane, names: readonly string[]): string {
  if (number !== null) return `advice for ${names[number]}`;
  return `no pane has streams: advice for ${pipelineOf(pane.pipeline).label} beside them`;
}

/** The best and what is level with it, the first few; then what is set now. */
function levelRows({best, now, standings}: AimAdvice, {candidates}: Advice): readonly (readonly string[])[] {
  const order = [...candidates.keys()].sort((a, b) => {
    return (standings[a]?.behindMs ?? 0) - (standings[b]?.behindMs ?? 0) || a - b;
  });
  const [first, ...others] = [...new Set([best, ...order.slice(0, SHOWN), ...(now === null ? [] : [now])])];
  const rows = [first, ...others].map(i => {
    const [candidate, standing] = [candidates[i ?? 0], standings[i ?? 0]];
    if (candidate === undefined || standing === undefined) return ['', '', '', ''];
    const {meanMs, ci95Ms, behindMs, behindCi95Ms, isLevel} = standing;
    return [
      `  ${settingText(candidate)}`,
      withInterval(meanMs, ci95Ms),
      i === best ? '' : `+ ${withInterval(behindMs, behindCi95Ms)}`,
      i === best ? 'best' : isLevel ? 'level' : i === now ? 'now' : '',
    ];
  });
  return [['', 'mean', 'behind the best', ''], ...rows];
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
  recognisable: 'not known without --visual (a logo is a picture then, too), or the page has none',
  firstPicture: 'the page has none',
  pageTime: 'not known',
};

/** Rows of a table that people read. */
const SHOWN = 6;
