import {pipelineOf} from '../../pipelines/index.ts';
import {paneLabels} from '../../pipelines/paneLabels.ts';
import {describeRunPath} from '../../run/scenario/describe.ts';
import type {PageSource} from '../../run/scenario/pageSource.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {seedsText} from '../../run/scenario/seeds.ts';
import type {FigureSubject, SubjectCell} from './subject.ts';

/** The name of a figure's files, which is valid on every system: `page-time-t-n07-hsdpa-n-10`. */
export function figureName(what: string, {title}: Pick<FigureSubject, 'title'>): string {
  return [what, title].map(slug).filter(Boolean).join('-').slice(0, LONGEST_NAME).replace(/-$/, '');
}

/** A figure's title: `what`, the quantity on the x axis, and the part of the grid. */
export function figureTitle(what: string, {title, x}: Pick<FigureSubject, 'title' | 'x'>): string {
  const whole = x.axis.label === '' ? what : `${what} against ${x.axis.label}`;
  return title === '' ? whole : `${whole}: ${title}`;
}

function slug(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

const LONGEST_NAME = 100;

/** The caption below a figure: the meaning of its marks, the number of runs, incomplete loads, and the settings. */
export function captionOf(
  subject: FigureSubject,
  marks: string,
  cells: readonly SubjectCell[] = subject.cells,
): readonly string[] {
  const {seeds, scenarios} = subject;
  const runs = seeds.length === 1 ? '1 run per point, seed' : `${seeds.length} runs per point, seeds`;
  return [marks, `${runs} ${seedsText(seeds)}. ${incompleteText(subject, cells)}`, settingsText(scenarios)];
}

/**
 * The sentence that says how incomplete loads are counted. It is empty if all loads are complete. `isTime` says whether
 * the metric is the time of an event. If so, incomplete loads in which it did not happen count as the time limit.
 */
export function incompleteRule({cells, scenarios}: FigureSubject, isTime: boolean): string {
  const isAll = cells.every(({summary}) => summary.panes.every(({runs, complete}) => runs === complete));
  if (isAll) return '';
  if (!isTime) return 'Only complete loads count.';
  const limits = [...new Set(scenarios.map(({timeLimitMs}) => timeLimitMs / 1000))].sort((a, b) => a - b);
  return `An incomplete load in which this time was not reached counts as the time limit, ${limits.join(' or ')} s, so values with such loads are lower bounds.`;
}

/** A note if points are evenly spaced on the x axis although their numbers are not; otherwise empty. */
export function spacingText({x: {numbers, order}}: FigureSubject): string {
  const sorted = order.map(point => numbers[point] ?? Number.NaN);
  const steps = sorted.slice(1).map((each, i) => each - (sorted[i] ?? 0));
  const [first = 0] = steps;
  const isEven = steps.every(step => !(Math.abs(step - first) > 1e-9 * Math.abs(first)));
  return isEven ? '' : ' The x axis is not to scale.';
}

/** The numbers of incomplete loads, series by series. */
function incompleteText({series}: FigureSubject, cells: readonly SubjectCell[]): string {
  const counts = series.map(({name, point, pane}) => {
    const own = cells.filter(cell => cell.series === point);
    const panes = own.flatMap(({summary}) => summary.panes[pane] ?? []);
    const [runs, complete] = [sum(panes.map(each => each.runs)), sum(panes.map(each => each.complete))];
    return runs === complete ? '' : `${name} ${runs - complete} of ${runs}`;
  });
  const some = counts.filter(text => text !== '');
  return some.length === 0 ? 'All loads are complete.' : `Not complete: ${some.join(', ')}.`;
}

/** The protocol stacks of all cells, and the panes, page and path settings that all cells have in common. */
function settingsText(scenarios: readonly Scenario[]): string {
  const panes = common(scenarios.map(each => paneLabels(each.panes)));
  const stacks = new Set(
    scenarios
      .flatMap(each => each.panes.map(({pipeline}) => pipelineOf(pipeline)))
      .map(({label, stack}) => `${label}: ${stack}`),
  );
  const page = common(scenarios.map(each => pageWords(each.page)));
  const path = common(scenarios.map(each => describeRunPath(each, each.path).split(NOT_IN_BRACKETS)));
  const parts = [
    ...(panes.length > 0 ? [`Panes: ${panes.join('; ')}.`] : []),
    `Stacks: ${[...stacks].join('; ')}.`,
    ...(page.length > 0 ? [`Page: ${page.join(', ')}.`] : []),
    ...(path.length > 0 ? [`Path: ${path.join(', ')}.`] : []),
  ];
  return parts.join(' ');
}

function pageWords(page: PageSource): readonly string[] {
  if (page.kind !== 'synthetic') return [page.name];
  const {indexBytes, objects, objectBytes, headerBytes} = page;
  const html = `HTML ${indexBytes / 1000} KB`;
  if (objects === 0) return [html, `headers ${headerBytes} B`];
  return [html, `${objects} objects`, `object size ${objectBytes / 1000} KB`, `headers ${headerBytes} B`];
}

/** The words that all lists contain. */
function common([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter(word => others.every(other => other.includes(word)));
}

/** A comma that is not within brackets. */
const NOT_IN_BRACKETS = /, (?![^(]*\))/;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
