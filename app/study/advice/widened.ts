import type {Conversion} from '../../page/conversion.ts';
import {type ConvertedPage, type Page, pictureFiles} from '../../page/page.ts';
import {conversionsOf, type Pane} from '../../pipelines/index.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';

/** The scenario to open a page by that is there as each side has it, and progressive too; itself for one without pictures. */
export function widened(scenario: Scenario, page: Page): Scenario {
  const [first] = scenario.panes;
  if (first === undefined || pictureFiles(page) === 0) return scenario;
  const as = (conversion: Conversion): Pane => ({...first, conversion});
  return {...scenario, panes: conversionsOf([...scenario.panes, as('progressive')]).map(as)};
}

/** What has changed at least one of its pictures: no other can help. */
export function usefulConversions({converted = []}: ConvertedPage): readonly Conversion[] {
  return converted.filter(({objects}) => objects.some(object => object !== null)).map(({conversion}) => conversion);
}
