import {readFileSync, statSync} from 'node:fs';
import {basename, extname} from 'node:path';
import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {showName} from '../../app/scenario/show.ts';
import {decodeRun} from '../../app/trace/runFile.ts';
import {readScenarioText} from '../cli/scenarioText.ts';
import {UsageError} from '../cli/usageError.ts';

/**
 * What the window is opened on: the text of a scenario file (.json), or of the scenario of a trace file (.trace).
 * Anything else stands for itself and is not read: a preset's name, a link, or what the window then refuses.
 * @throws Error of one line if such a file is there and cannot be read.
 */
export function readOpenedFile(name: string, path = name): OpenedDocument {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined || !isFile(path)) return {name, text: name};
  return {name: basename(path), text: read(path)};
}

const READERS: {readonly [ending: string]: (path: string) => string} = {
  '.json': path => {
    try {
      return readScenarioText(path);
    } catch (error) {
      // by its name, other errors are taken for bugs
      throw error instanceof UsageError ? new Error(error.message) : error;
    }
  },
  '.trace': path => {
    const {size} = statSync(path);
    if (size > LARGEST_BYTES) {
      throw new Error(`${showName(path, 200)}: has ${size} bytes (at most ${LARGEST_BYTES})`);
    }
    const decoded = decodeRun(readFileSync(path));
    if (!decoded.ok) throw new Error(`${showName(path, 200)}: ${decoded.message}`);
    return JSON.stringify(decoded.run.scenario);
  },
};

/** A pipe or a device would keep the window waiting. */
function isFile(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

/** The demo's trace has 40 KB. */
const LARGEST_BYTES = 64 * 1024 * 1024;
