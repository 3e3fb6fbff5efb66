import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Json} from '../../../app/base/json.ts';
import {firstDifference} from '../../../app/study/experiment/identity.ts';
import {FileError} from '../../files/fileError.ts';
import {makeFolder} from '../../files/makeFolder.ts';
import {leftOverOf} from '../../files/outputFile.ts';
import {ExperimentError} from './experimentError.ts';
import {LOCK} from './lock.ts';

// Folders that this program alone writes into: an experiment's, a reproduction's.

/** The file that says what such a folder is of, and what that is called. */
export interface Mark {
  readonly file: string;
  readonly noun: string;
}

/** @throws ExperimentError if it is a file. @throws FileError if it cannot be made. */
export function makeOwnFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const isFile = error instanceof FileError && error.code === 'EEXIST';
    throw isFile ? new ExperimentError(`${path} is a file, and no folder`) : error;
  }
}

/** What is in it, without its lock and what a program that was killed left of the files that are our `own`. */
export function entriesOf(path: string, own: readonly string[]): readonly string[] {
  return readdirSync(path).filter(entry => entry !== LOCK && !own.includes(leftOverOf(entry) ?? ''));
}

/** @throws ExperimentError where there is something that nobody wants to go on with. */
export function checkGoesOn(path: string, [entry]: readonly string[], isResumed: boolean): void {
  if (entry === undefined || isResumed) return;
  throw new ExperimentError(`${path} is not empty (${entry}): --resume goes on with what is there`);
}

/** @throws ExperimentError if the folder is of something else. */
export function checkMark(path: string, mark: Mark, document: Json): void {
  // any version may go on with it: its first run is computed again
  const {program: _, ...begun} = readMark(path, mark) as {readonly [key: string]: Json};
  const difference = firstDifference(begun, document);
  if (difference !== null) throw new ExperimentError(`${path} is of another ${mark.noun}: ${difference}`);
}

/** What the folder is of. @throws ExperimentError if it does not say so */
export function readMark(path: string, {file, noun}: Mark): Json {
  try {
    return JSON.parse(readFileSync(join(path, file), 'utf8')) as Json;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    const why = code === undefined ? `${file} is damaged` : `there is no ${file}`;
    throw new ExperimentError(`${path} holds no ${noun}: ${why}`);
  }
}
