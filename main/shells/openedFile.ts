import {statSync} from 'node:fs';
import {basename, extname} from 'node:path';
import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {showName} from '../../app/scenario/show.ts';
import {readFile} from '../../app/trace/openedFile.ts';
import {InputError, readInput} from '../files/inputFile.ts';

/**
 * What the window is opened on: the scenario of a scenario file (.json) or of a trace file (.trace, .trace.gz).
 * Anything else stands for itself and is not read: a preset's name, a link, or what the window then refuses.
 * @throws Error of one line if such a file is there and cannot be read.
 */
export function readOpenedFile(name: string, path = name): OpenedDocument {
  if (!ENDINGS.includes(extname(path).toLowerCase()) || !isFile(path)) return {name, text: name};
  const document = readFile(bytesOf(path));
  if (!document.ok) throw new Error(`${showName(path, 200)}: ${document.message}`);
  return {name: basename(path), text: JSON.stringify(document.value)};
}

function bytesOf(path: string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    // by its name, other errors are taken for bugs
    throw error instanceof InputError ? new Error(error.message) : error;
  }
}

/** A pipe or a device would keep the window waiting. */
function isFile(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

const ENDINGS: readonly string[] = ['.json', '.trace', '.gz'];
