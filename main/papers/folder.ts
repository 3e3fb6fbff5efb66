import {mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {firstDifference} from '../../app/experiment/identity.ts';
import type {Json} from '../../app/scenario/document.ts';
import {ExperimentError} from '../experiment/experimentError.ts';
import {LOCK, lockFolder} from '../experiment/lock.ts';
import {FileError} from '../files/fileError.ts';
import {writeWhole} from '../files/outputFile.ts';

/** Says what a folder is a reproduction of. */
const MARK = 'reproduce.json';

/**
 * Makes the folder of a reproduction, or, with `isResumed`, goes on with one of the same papers and seeds; gives what
 * lets go of it.
 * @throws ExperimentError if it holds something else or is in use. @throws FileError if it cannot be written.
 */
export async function openReproduction(
  path: string,
  document: Json,
  {isResumed, signal}: {readonly isResumed: boolean; readonly signal: AbortSignal},
): Promise<() => void> {
  makeFolder(path);
  const unlock = await lockFolder(path);
  try {
    const entries = readdirSync(path).filter(entry => entry !== LOCK && !LEFT_MARK.test(entry));
    if (entries.length === 0) {
      await writeWhole(join(path, MARK), Buffer.from(`${JSON.stringify(document, null, 1)}\n`), signal);
    } else {
      if (!isResumed) {
        throw new ExperimentError(
          `${path} is not empty (${entries[0]}): --resume goes on with what is there`,
        );
      }
      checkSame(path, document);
    }
    removeLeft(path);
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

function removeLeft(path: string): void {
  for (const entry of readdirSync(path, {recursive: true, encoding: 'utf8'})) {
    if (LEFT.test(entry)) rmSync(join(path, entry), {force: true});
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, {recursive: true});
  } catch (error) {
    const isFile = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw isFile ? new ExperimentError(`${path} is a file, and no folder`) : new FileError(path, error);
  }
}

function checkSame(path: string, document: Json): void {
  const difference = firstDifference(readMark(path), document);
  if (difference !== null) throw new ExperimentError(`${path} is of another reproduction: ${difference}`);
}

function readMark(path: string): Json {
  try {
    return JSON.parse(readFileSync(join(path, MARK), 'utf8')) as Json;
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException;
    const why = code === undefined ? `${MARK} is damaged` : `there is no ${MARK}`;
    throw new ExperimentError(`${path} holds no reproduction: ${why}`);
  }
}

/** What is left of a program that was killed while it wrote a file. */
const LEFT = /\.[0-9a-f]{8}\.part$/;
const LEFT_MARK = new RegExp(`^${MARK.replace('.', '\\.')}${LEFT.source}`);
