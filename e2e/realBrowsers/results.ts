import {appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {readJson} from '../../app/base/json.ts';
import type {BrowserLoad, LoadedObject} from './browserLoad.ts';

/** What the comparison with computed loads needs of a real load. */
export type ComparedLoad = Pick<BrowserLoad, 'finishMs' | 'fcpMs' | 'lcpMs' | 'dclMs' | 'loadMs'> & {
  readonly objects: readonly Pick<LoadedObject, 'path' | 'endMs'>[];
};

/** A real load. Each load that is made becomes a line of the file with results. */
export interface Result<L = ComparedLoad> {
  /** Name of the cell. */
  readonly cell: string;
  readonly seed: number;
  /** SHA-256 of the page, so that loads of another version of the page are not mixed with these. */
  readonly page: string;
  readonly versions: {readonly browser: string; readonly server: string; readonly kernel: string};
  readonly result: L | {readonly failed: string};
}

/**
 * A shorter form of several successful loads of a cell, as one line. Each list has a value for each load, in the order
 * of the seeds.
 */
interface KeptLoads extends Pick<Result, 'cell' | 'page' | 'versions'> {
  readonly seeds: readonly number[];
  readonly finishMs: readonly number[];
  readonly fcpMs: readonly (number | null)[];
  readonly lcpMs: readonly (number | null)[];
  readonly dclMs: readonly number[];
  readonly loadMs: readonly number[];
  /** When each object had arrived, by its path. Null in loads without this object. */
  readonly endMs: {readonly [path: string]: readonly (number | null)[]};
}

/**
 * Reads a file with results. Each line has one of the two forms, {@link Result} or {@link KeptLoads}. A line that was
 * cut when the program was killed is left out.
 */
export function readResults(file: string): readonly Result[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      const json = readJson(line);
      if (!json.ok) return [];
      const read = json.value as unknown as Result | KeptLoads;
      return 'seeds' in read ? resultsOf(read) : [read];
    });
}

/** Appends a line. A line break precedes it, so that it stays readable if the line before was cut. */
export function appendResult(file: string, result: Result<BrowserLoad>): void {
  mkdirSync(dirname(file), {recursive: true});
  appendFileSync(file, `\n${JSON.stringify(result)}\n`);
}

/** Writes the successful loads of these results into a file, in the shorter form. An existing file is replaced. */
export function keepResults(file: string, results: readonly Result[]): void {
  const groups = new Map<string, Result[]>();
  for (const each of results) {
    const key = JSON.stringify([each.cell, each.page, each.versions]);
    if (!('failed' in each.result)) groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  mkdirSync(dirname(file), {recursive: true});
  writeFileSync(file, [...groups.values()].map(group => `${JSON.stringify(keptLoads(group))}\n`).join(''));
}

function keptLoads(group: readonly Result[]): KeptLoads {
  const sorted = [...group].sort((a, b) => a.seed - b.seed);
  const [{cell, page, versions} = missing()] = sorted;
  const loads = sorted.flatMap(({result}) => ('failed' in result ? [] : [result]));
  const paths = [...new Set(loads.flatMap(({objects}) => objects.map(({path}) => path)))].sort();
  const ends = loads.map(({objects}) => new Map(objects.map(({path, endMs}) => [path, endMs])));
  return {
    cell,
    page,
    versions,
    seeds: sorted.map(({seed}) => seed),
    finishMs: loads.map(({finishMs}) => finishMs),
    fcpMs: loads.map(({fcpMs}) => fcpMs),
    lcpMs: loads.map(({lcpMs}) => lcpMs),
    dclMs: loads.map(({dclMs}) => dclMs),
    loadMs: loads.map(({loadMs}) => loadMs),
    endMs: Object.fromEntries(paths.map(path => [path, ends.map(end => end.get(path) ?? null)])),
  };
}

function resultsOf(kept: KeptLoads): readonly Result[] {
  const {cell, page, versions, seeds, finishMs, fcpMs, lcpMs, dclMs, loadMs, endMs} = kept;
  return seeds.map((seed, i) => {
    const objects = Object.entries(endMs).flatMap(([path, ends]) => {
      const end = ends[i] ?? null;
      return end === null ? [] : [{path, endMs: end}];
    });
    const at = <T>(values: readonly T[]): T => values[i] ?? missing();
    const times = {finishMs: at(finishMs), dclMs: at(dclMs), loadMs: at(loadMs)};
    const result = {...times, fcpMs: fcpMs[i] ?? null, lcpMs: lcpMs[i] ?? null, objects};
    return {cell, seed, page, versions, result};
  });
}

function missing(): never {
  throw new Error('a line of the file with results lacks the values of a load');
}
