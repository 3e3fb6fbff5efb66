import {compareDocument, readComparison} from '../../app/run/scenario/compare.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {Session} from './session.ts';

/**
 * Returns the scenario of the comparison that was chosen last on the start screen: its transports, on its path. If no
 * comparison was chosen yet, returns the scenario of the default comparison. If the result is not a valid scenario,
 * returns the scenario that is being opened, or if there is none, the one on screen.
 */
export function comparedScenario({remembered, screen}: Session): Scenario {
  const parsed = parseScenario(compareDocument(readComparison(remembered.get('comparison'))));
  return parsed.ok ? parsed.scenario : screen.wanted;
}
