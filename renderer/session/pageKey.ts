import {conversionsOf} from '../../app/pipelines/index.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';

/** A key for the page and the conversions of a scenario. Scenarios with the same key load the same page. */
export function pageKey(scenario: Scenario): string {
  return JSON.stringify([scenarioDocument(scenario)['page'], conversionsOf(scenario.panes)]);
}
