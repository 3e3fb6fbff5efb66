import {readBytes} from '../scenario/opened.ts';
import type {ReadJson} from '../scenario/readJson.ts';
import {decodeRun, isRunFile} from './runFile.ts';

/** The scenario document that a file holds: itself, or that of the run of a trace file. */
export function readFile(bytes: Uint8Array): ReadJson {
  if (!isRunFile(bytes)) return readBytes(bytes);
  const decoded = decodeRun(bytes);
  return decoded.ok ? {ok: true, value: decoded.run.scenario} : decoded;
}
