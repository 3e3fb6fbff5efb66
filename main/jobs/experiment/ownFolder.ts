import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Json} from '../../../app/base/json.ts';
import {firstDifference} from '../../../app/study/experiment/identity.ts';
import {FileError} from '../../files/fileError.ts';
import {makeFolder} from '../../files/makeFolder.ts';
import {leftOverOf} from '../../files/outputFile.ts';
import {ExperimentError} from './experimentError.ts';
import {LOCK} from './folderLock.ts';

// This file handles folders that only this program writes to: folders of experiments and of reproductions.

/** The file that identifies the content of such a folder, and the noun for that content. */
export interface Mark {
  readonly file: string;
  readonly noun: string;
}

/**
 * Creates the folder if it does not exist.
 * @throws ExperimentError if it is a file. @throws FileError if it cannot be created
 */
export function makeOwnFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const isFile = error instanceof FileError && error.code === 'EEXIST';
    throw isFile ? new ExperimentError(`${path} is a file, not a folder`) : error;
  }
}

/** The folder's entries, without its lock and without unfinished versions of the files `own`. */
export function entriesOf(path: string, own: readonly string[]): readonly string[] {
  return readdirSync(path).filter(entry => entry !== LOCK && !own.includes(leftOverOf(entry) ?? ''));
}

/** @throws ExperimentError if the folder is not empty and the user did not ask to continue */
export function checkResumable(path: string, [entry]: readonly string[], isResumed: boolean): void {
  if (entry === undefined || isResumed) return;
  throw new ExperimentError(`${path} is not empty (${entry}): --resume continues with its content`);
}

/** @throws ExperimentError if the folder's document is missing, is not JSON or describes something else */
export function checkMark(path: string, mark: Mark, document: Json): void {
  // The program's version may differ. An experiment that continues computes its first run again and compares it.
  const {program: _, ...begun} = readMark(path, mark) as {readonly [key: string]: Json};
  const difference = firstDifference(begun, document);
  if (difference !== null) throw new ExperimentError(`${path} belongs to another ${mark.noun}: ${difference}`);
}

/** Reads the document that identifies the folder's content. @throws ExperimentError if it is missing or is not JSON */
export function readMark(path: string, {file, noun}: Mark): Json {
  try {
    return JSON.parse(readFileSync(join(path, file), 'utf8')) as Json;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    const why = code === undefined ? `${file} is damaged` : `there is no ${file}`;
    throw new ExperimentError(`${path} contains no ${noun}: ${why}`);
  }
}
