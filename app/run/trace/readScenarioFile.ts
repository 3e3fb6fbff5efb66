import type {ReadJson} from '../../base/json.ts';
import {readBytes} from '../scenario/readScenario.ts';
import {decodeRun, isRunFile} from './runFile.ts';

/**
 * Whether a trace file holds a run that no scenario can reproduce: a live run, or panes of several runs. False if the
 * bytes are not a valid trace file.
 */
export function hasNoScenario(bytes: Uint8Array): boolean {
  if (!isRunFile(bytes)) return false;
  const decoded = decodeRun(bytes);
  return decoded.ok && (decoded.run.sources !== undefined || isLive(decoded.run.scenario));
}

function isLive(scenario: unknown): boolean {
  const {path} = (scenario ?? {}) as {readonly path?: {readonly live?: unknown} | null};
  return path?.live !== undefined;
}

/** Reads the scenario document from a scenario file or a trace file. */
export function readFile(bytes: Uint8Array): ReadJson {
  if (!isRunFile(bytes)) return readBytes(bytes);
  const decoded = decodeRun(bytes);
  if (!decoded.ok) return decoded;
  const {scenario, sources} = decoded.run;
  if (sources !== undefined)
    return {ok: false, message: 'the panes of this trace file belong to several runs, so it has no single scenario'};
  return {ok: true, value: scenario};
}
