import {type Json, scenarioDocument} from '../../app/scenario/document.ts';
import {applyOverride} from '../../app/scenario/override.ts';
import {changePath, type PathSettings} from '../../app/scenario/path.ts';
import {type ParsedScenario, parseScenario, type Scenario} from '../../app/scenario/scenario.ts';

/** Sets one key, written as `--set` writes it (`path.loss.down`), for the whole run. */
export function editWholeRun(scenario: Scenario, key: string, value: Json): ParsedScenario {
  return parseScenario(applyOverride(scenarioDocument(scenario), `${key}=${JSON.stringify(value)}`));
}

/** Sets one key of the path from `atMs` on; what was set for the same instant before is replaced. */
export function editFromNow(scenario: Scenario, key: string, value: Json, atMs: number): ParsedScenario {
  const document = scenarioDocument(scenario);
  const changes = document['changes'] as readonly {readonly atMs: number}[];
  const index = changes.findIndex(change => change.atMs === atMs);
  const at = index < 0 ? changes.length : index;
  const withRow: Json = {...document, changes: index < 0 ? [...changes, {atMs, path: {}}] : changes};
  return parseScenario(applyOverride(withRow, `changes[${at}].${key}=${JSON.stringify(value)}`));
}

/** Whether a key can change during a run. */
export function canChangeOnTheWay(key: string): boolean {
  return /^path\.(rateBps|rttMs|loss|queuePackets)\b/.test(key);
}

/** The path that is in force at `atMs`. */
export function pathAt(scenario: Scenario, atMs: number): PathSettings {
  return scenario.changes
    .filter(change => change.atMs <= atMs)
    .reduce((path, change) => changePath(path, change.path), scenario.path);
}
