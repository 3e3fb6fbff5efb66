import {pipelineOf} from '../pipelines/index.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import {describePath} from '../scenario/describe.ts';
import type {PageSource} from '../scenario/pageSource.ts';
import type {Scenario} from '../scenario/scenario.ts';
import {seedsText} from '../scenario/seeds.ts';
import type {FigureSubject, SubjectCell} from './subject.ts';

/** What stands below a figure: what its marks are, of how many runs, what was left out, and of what. */
export function captionOf(
  subject: FigureSubject,
  marks: string,
  cells: readonly SubjectCell[],
): readonly string[] {
  return [
    marks,
    `${subject.seeds.length} runs a place, seeds ${seedsText(subject.seeds)}. ${incompleteText(subject, cells)}`,
    settingsText(subject.scenarios),
  ];
}

/** Loads that are not complete, pane by pane. */
function incompleteText({series}: FigureSubject, cells: readonly SubjectCell[]): string {
  const counts = series.map(({name}, pane) => {
    const panes = cells.flatMap(({summary}) => summary.panes[pane] ?? []);
    const [runs, complete] = [sum(panes.map(each => each.runs)), sum(panes.map(each => each.complete))];
    return runs === complete ? '' : `${name} ${runs - complete} of ${runs}`;
  });
  const some = counts.filter(text => text !== '');
  return some.length === 0 ? 'All are complete.' : `Not complete: ${some.join(', ')}.`;
}

/** What all cells have in common, and their panes as far as they are the same. */
function settingsText(scenarios: readonly Scenario[]): string {
  const panes = common(scenarios.map(each => paneLabels(each.panes)));
  const stacks = new Set(
    scenarios
      .flatMap(each => each.panes.map(({pipeline}) => pipelineOf(pipeline)))
      .map(({label, stack}) => `${label}: ${stack}`),
  );
  const page = common(scenarios.map(each => pageWords(each.page)));
  const path = common(scenarios.map(each => describePath(each.path).split(', ')));
  const parts = [
    ...(panes.length > 0 ? [`Panes: ${panes.join('; ')}.`] : []),
    `Stacks: ${[...stacks].join('; ')}.`,
    ...(page.length > 0 ? [`Page: ${page.join(', ')}.`] : []),
    ...(path.length > 0 ? [`Path: ${path.join(', ')}.`] : []),
  ];
  return parts.join(' ');
}

function pageWords(page: PageSource): readonly string[] {
  if (page.kind === 'named') return [page.name];
  const {indexBytes, objects, objectBytes, headerBytes} = page;
  return [
    ...[`HTML ${indexBytes / 1000} KB`, `${objects} objects`],
    ...[`of ${objectBytes / 1000} KB each`, `headers ${headerBytes} B`],
  ];
}

/** Of the first list those that all have. */
function common([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter(word => others.every(other => other.includes(word)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
