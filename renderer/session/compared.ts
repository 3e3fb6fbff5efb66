import {compareDocument, readComparison} from '../../app/run/scenario/compare.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {Session} from './session.ts';

/** The scenario that compares the transports on the path that were chosen last on the start screen. */
export function comparedScenario({remembered, screen}: Session): Scenario {
  const parsed = parseScenario(compareDocument(readComparison(remembered.get('comparison'))));
  return parsed.ok ? parsed.scenario : screen.wanted;
}
