import {createReadStream, existsSync, readdirSync, rmSync, statSync} from 'node:fs';
import {join} from 'node:path';
import type {Json} from '../../../app/base/json.ts';
import {paneCounts, runAt, runCount} from '../../../app/study/experiment/grid.ts';
import {type Identity, identityDocument, metricsOf} from '../../../app/study/experiment/identity.ts';
import type {RunRow} from '../../../app/study/experiment/row.ts';
import {runOfShard, shardRuns} from '../../../app/study/experiment/shard.ts';
import {leftOverOf, writeWhole} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {FIGURES, REPORT} from '../../media/figures/writeFigures.ts';
import {ExperimentError} from './experimentError.ts';
import {lockFolder} from './folderLock.ts';
import {checkMark, checkResumable, entriesOf, type Mark, makeOwnFolder, readMark} from './ownFolder.ts';
import {RunFile, readRows} from './runFile.ts';

/** Names of the files in an experiment's folder. */
export const FILES = {
  experiment: 'experiment.json',
  runs: 'runs.ndjson',
  results: 'results.csv',
  summary: 'summary.json',
} as const;

/** Files that this program writes. A killed program may have left incomplete versions of them. */
const OWN: readonly string[] = [...Object.values(FILES), REPORT];
const MARK: Mark = {file: FILES.experiment, noun: 'experiment'};

/** An experiment's folder. Until it is closed, only this process writes to it. */
export interface Folder {
  readonly path: string;
  /** Number of complete runs in the folder. They are the first runs of the shard. */
  readonly done: number;
  /** The first run in the folder. Null if there is none. */
  readonly first: RunRow | null;
  /** Number of bytes after the last complete run, for example of an incomplete line. They are dropped. */
  readonly droppedBytes: number;
  readonly runs: RunFile;
  close(): Promise<void>;
}

/**
 * Creates an experiment's folder, or fills an empty one. If `isResumed`, a folder of the same experiment may be opened.
 * @throws ExperimentError if the folder contains anything else, is damaged or is in use. @throws FileError if it cannot
 * be written to
 */
export async function openFolder(
  path: string,
  identity: Identity,
  {isResumed, signal}: {readonly isResumed: boolean; readonly signal: AbortSignal},
): Promise<Folder> {
  makeOwnFolder(path);
  const unlock = await lockFolder(path);
  try {
    const entries = entriesOf(path, OWN);
    if (entries.length > 0) {
      checkResumable(path, entries, isResumed);
      checkSame(path, entries, identityDocument(identity));
      removeLeft(path);
    } else {
      await writeWhole(join(path, FILES.experiment), documentBytes(identity), signal);
    }
    const found = await foundRuns(path, entries, identity);
    const runs = new RunFile(join(path, FILES.runs), found.bytes);
    const close = async (): Promise<void> => {
      await runs.close();
      unlock();
    };
    return {path, ...found, runs, close};
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * Creates a folder, or takes an existing empty one, and locks it. Returns a function that releases the lock.
 * @throws ExperimentError if the folder is not empty or is in use
 */
export async function newFolder(path: string): Promise<() => void> {
  makeOwnFolder(path);
  const unlock = await lockFolder(path);
  const [entry] = entriesOf(path, OWN);
  if (entry === undefined) return unlock;
  unlock();
  throw new ExperimentError(`${path} is not empty (${entry})`);
}

/** Reads the document of the experiment in a folder. @throws ExperimentError if there is none or it is not JSON */
export function readExperiment(path: string): Json {
  return readMark(path, MARK);
}

export function documentBytes(identity: Identity): Uint8Array {
  const document = {program: program(), ...(identityDocument(identity) as object)};
  return Buffer.from(`${JSON.stringify(document, null, 1)}\n`);
}

/**
 * Removes incomplete files that killed programs left. In the figures' folder they may have any name, because only this
 * program writes there.
 */
function removeLeft(path: string): void {
  const left = readdirSync(path).filter(entry => OWN.includes(leftOverOf(entry) ?? ''));
  const figures = existsSync(join(path, FIGURES)) ? readdirSync(join(path, FIGURES)) : [];
  const leftFigures = figures.filter(entry => leftOverOf(entry) !== undefined);
  for (const entry of [...left, ...leftFigures.map(name => join(FIGURES, name))]) {
    rmSync(join(path, entry), {force: true});
  }
}

function checkSame(path: string, entries: readonly string[], identity: Json): void {
  if (!entries.includes(FILES.experiment)) {
    throw new ExperimentError(`${path} contains no experiment: there is ${entries[0]}, but no ${FILES.experiment}`);
  }
  checkMark(path, MARK, identity);
}

/** Counts the runs in the folder, up to the first run that is incomplete or out of order. */
async function foundRuns(path: string, entries: readonly string[], identity: Identity) {
  const file = join(path, FILES.runs);
  let [done, bytes]: [number, number] = [0, 0];
  let first: RunRow | null = null;
  if (!entries.includes(FILES.runs)) return {done, first, bytes, droppedBytes: 0};
  for await (const row of wholeRows(file, identity)) {
    first ??= {run: row.run, panes: row.panes};
    bytes = row.endByte;
    done++;
  }
  const {size} = statSync(file);
  // A killed program leaves at most one incomplete line, which is the last. If any other line is bad, the file is
  // damaged.
  if (await hasLineBefore(file, bytes, size)) {
    throw new ExperimentError(
      `${file} is damaged: its line ${done + 1} is not a run of this experiment, and is not the last line`,
    );
  }
  return {done, first, bytes, droppedBytes: size - bytes};
}

/** Whether a line that begins at `from` ends before the last byte. */
async function hasLineBefore(file: string, from: number, size: number): Promise<boolean> {
  let at = from;
  for await (const piece of createReadStream(file, {start: from})) {
    const end = (piece as Buffer).indexOf(LINE_FEED);
    if (end >= 0) return at + end < size - 1;
    at += (piece as Buffer).length;
  }
  return false;
}

const LINE_FEED = 10;

/** Yields the rows of a file, up to the first row that is not the next run of this experiment. */
export async function* wholeRows(file: string, identity: Identity): ReturnType<typeof readRows> {
  const {grid, shard} = identity;
  const panesOf = paneCounts(grid);
  let n = 0;
  for await (const row of readRows(file, metricsOf(identity).length)) {
    const isNext = n < shardRuns(shard, runCount(grid)) && row.run === runOfShard(shard, n);
    if (!isNext || row.panes.length !== panesOf(runAt(grid, row.run).cell)) return;
    yield row;
    n++;
  }
}
