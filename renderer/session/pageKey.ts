import {conversionsOf} from '../../app/pipelines/index.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';

/** The page that a scenario loads, and what of it has to be there: those of one key have one page. */
export function pageKey(scenario: Scenario): string {
  return JSON.stringify([scenarioDocument(scenario)['page'], conversionsOf(scenario.panes)]);
}
