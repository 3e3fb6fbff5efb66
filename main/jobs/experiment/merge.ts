import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {runCount} from '../../../app/study/experiment/grid.ts';
import {
  firstDifference,
  type Identity,
  identityDocument,
  readIdentity,
} from '../../../app/study/experiment/identity.ts';
import {type RunRow, rowLine} from '../../../app/study/experiment/row.ts';
import {shardRuns, shardText, WHOLE} from '../../../app/study/experiment/shard.ts';
import {writeWhole} from '../../files/outputFile.ts';
import {ExperimentError} from './experimentError.ts';
import {documentBytes, FILES, newFolder, readExperiment, wholeRows} from './experimentFolder.ts';
import {type Outputs, writeOutputs} from './outputs.ts';
import {TextFile} from './textFile.ts';

/**
 * Joins the folders of an experiment's parts (shards) into the folder `out`. Its runs, results and summary are the same
 * as if the experiment had run as a whole. Figures and the report are not written.
 * @throws ExperimentError if a part is missing, incomplete, given twice or from another experiment, or if `out` is not
 * empty or is in use. @throws FileError
 */
export async function mergeExperiments(
  paths: readonly string[],
  out: string,
  signal: AbortSignal,
): Promise<{readonly identity: Identity; readonly outputs: Outputs}> {
  const parts = readParts(paths);
  const [{identity}] = parts;
  const whole = {...identity, shard: WHOLE};
  const unlock = await newFolder(out);
  try {
    await joinRuns(parts, join(out, FILES.runs), signal);
    await writeWhole(join(out, FILES.experiment), documentBytes(whole), signal);
    return {identity: whole, outputs: await writeOutputs(out, whole, signal)};
  } finally {
    unlock();
  }
}

interface Part {
  readonly path: string;
  readonly identity: Identity;
}

/** Reads the parts, and checks that all of them belong to one experiment. */
function readParts(paths: readonly string[]): readonly [Part, ...Part[]] {
  const [first, ...others] = paths.map((path): Part => {
    const identity = readIdentity(readExperiment(path));
    if (identity === undefined)
      throw new ExperimentError(`${path} contains no experiment: ${FILES.experiment} is damaged`);
    return {path, identity};
  });
  if (first === undefined) throw new RangeError('invalid parts: none');
  const wholeOf = ({identity}: Part) => identityDocument({...identity, shard: WHOLE});
  for (const other of others) {
    const difference = firstDifference(wholeOf(other), wholeOf(first));
    if (difference === null) continue;
    throw new ExperimentError(`${other.path} belongs to another experiment than ${first.path}: ${difference}`);
  }
  return [first, ...others];
}

/** Writes the runs of all parts in the grid's order. */
async function joinRuns(parts: readonly [Part, ...Part[]], file: string, signal: AbortSignal): Promise<void> {
  const runs = runCount(parts[0].identity.grid);
  const heads = await Heads.of(parts);
  const joined = await TextFile.create(file);
  try {
    let missing = 0;
    for (let run = 0; run < runs; run++) {
      if (run % CHECKED_RUNS === 0) signal.throwIfAborted();
      const row = await heads.take(run);
      if (row === undefined) missing++;
      else await joined.write(`${rowLine(row)}\n`);
    }
    if (missing > 0) throw new ExperimentError(missingText(parts, heads.taken, missing, runs));
    await joined.keep();
  } finally {
    await joined.discard();
    await heads.close();
  }
}

/** Reads the runs of all parts in the grid's order. Holds the next run of each part. */
class Heads {
  readonly #parts: readonly Part[];
  readonly #rows: readonly AsyncGenerator<RunRow>[];
  readonly #heads = new Map<number, {readonly part: number; readonly row: RunRow}>();
  /** How many runs of each part were taken. */
  readonly taken: number[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.#rows = parts.map(({path, identity}) => rowsOf(join(path, FILES.runs), identity));
    this.taken = parts.map(() => 0);
  }

  static async of(parts: readonly Part[]): Promise<Heads> {
    const heads = new Heads(parts);
    for (const part of parts.keys()) await heads.#advance(part);
    return heads;
  }

  /**
   * Returns the row of a run, or undefined if no part has that run. Runs must be taken in order.
   * @throws ExperimentError if two parts have the same run
   */
  async take(run: number): Promise<RunRow | undefined> {
    const head = this.#heads.get(run);
    if (head === undefined) return undefined;
    this.#heads.delete(run);
    this.taken[head.part] = (this.taken[head.part] ?? 0) + 1;
    await this.#advance(head.part);
    return head.row;
  }

  async close(): Promise<void> {
    await Promise.all(this.#rows.map(rows => rows.return(undefined)));
  }

  async #advance(part: number): Promise<void> {
    const next = await this.#rows[part]?.next();
    if (next === undefined || next.done) return;
    const row = next.value;
    const other = this.#heads.get(row.run);
    if (other !== undefined) {
      const [a, b] = [other.part, part].sort((x, y) => x - y).map(each => partName(this.#parts[each]));
      throw new ExperimentError(`${a} and ${b} overlap: both have run ${row.run}`);
    }
    this.#heads.set(row.run, {part, row});
  }
}

/** Yields the rows of a part, or none if nothing was computed yet. */
async function* rowsOf(file: string, identity: Identity): AsyncGenerator<RunRow> {
  if (existsSync(file)) yield* wholeRows(file, identity);
}

/** Says which runs are missing: runs of incomplete parts and runs of absent parts. */
function missingText(parts: readonly Part[], taken: readonly number[], missing: number, runs: number): string {
  const unfinished = parts.flatMap((part, i) => {
    const own = shardRuns(part.identity.shard, runs);
    return taken[i] === own ? [] : [`${partName(part)} has ${taken[i]} of its ${own} (--resume continues it)`];
  });
  const [{of} = WHOLE, ...others] = parts.map(({identity}) => identity.shard);
  const there = new Set(parts.map(({identity}) => identity.shard.part));
  const absent = others.every(shard => shard.of === of)
    ? Array.from({length: of}, (_, i) => i + 1).filter(part => !there.has(part))
    : [];
  const shown = absent.slice(0, SHOWN_PARTS).map(part => shardText({part, of}));
  const more = absent.length > SHOWN_PARTS ? ', …' : '';
  const parted =
    absent.length === 0 ? [] : [`those of ${absent.length === 1 ? 'part' : 'parts'} ${shown.join(', ')}${more}`];
  const are = missing === 1 ? 'is' : 'are';
  return `${missing} of ${runs} runs ${are} missing: ${[...parted, ...unfinished].join('; ') || 'no part has them'}`;
}

function partName(part: Part | undefined): string {
  return part === undefined ? '' : `${part.path} (${shardText(part.identity.shard)})`;
}

const SHOWN_PARTS = 20;
const CHECKED_RUNS = 1000;
