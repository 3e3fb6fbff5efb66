import {readFileSync, statSync} from 'node:fs';
import {basename, extname} from 'node:path';
import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {decodeRun} from '../../app/trace/runFile.ts';

/**
 * What the window is opened on: the text of a scenario file (.json), or of the scenario of a trace file (.trace).
 * Anything else stands for itself and is not read: a preset's name, a link, or what the window then refuses.
 */
export function readOpenedFile(name: string, path = name): OpenedDocument {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined || !isReadable(path)) return {name, text: name};
  try {
    return {name: basename(path), text: read(readFileSync(path))};
  } catch {
    return {name, text: name}; // not allowed to
  }
}

const READERS: {readonly [ending: string]: (bytes: Uint8Array) => string} = {
  '.json': bytes => new TextDecoder().decode(bytes),
  '.trace': bytes => {
    const decoded = decodeRun(bytes);
    return decoded.ok ? JSON.stringify(decoded.run.scenario) : decoded.message;
  },
};

function isReadable(path: string): boolean {
  try {
    const file = statSync(path);
    return file.isFile() && file.size <= LARGEST_BYTES;
  } catch {
    return false;
  }
}

/** The demo's trace has 40 KB. */
const LARGEST_BYTES = 64 * 1024 * 1024;
