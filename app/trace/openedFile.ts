import {readBytes} from '../scenario/opened.ts';
import type {ReadJson} from '../scenario/readJson.ts';
import {decodeRun, isRunFile} from './runFile.ts';

/** The scenario document that a file holds: itself, or that of the run of a trace file. */
export function readFile(bytes: Uint8Array): ReadJson {
  if (!isRunFile(bytes)) return readBytes(bytes);
  const decoded = decodeRun(bytes);
  if (!decoded.ok) return decoded;
  const {scenario, sources} = decoded.run;
  if (sources !== undefined) return {ok: false, message: 'its panes are of several runs: it has no scenario'};
  return {ok: true, value: scenario};
}
