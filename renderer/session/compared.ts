import {compareDocument, readComparison} from '../../app/run/scenario/compare.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {Session} from './session.ts';

/**
 * Returns the scenario of the comparison that was chosen last on the start screen: its transports, on its path. If none
 * was chosen yet, returns that of the default comparison. If that is not valid, returns the scenario that is being
 * opened or is on screen.
 */
export function comparedScenario({remembered, screen}: Session): Scenario {
  const parsed = parseScenario(compareDocument(readComparison(remembered.get('comparison'))));
  return parsed.ok ? parsed.scenario : screen.wanted;
}
