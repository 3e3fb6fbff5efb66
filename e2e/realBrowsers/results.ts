import {appendFileSync, existsSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {readJson} from '../../app/base/json.ts';
import type {BrowserLoad} from './browserLoad.ts';

/** A line of the file with results: one real load. */
export interface ResultLine {
  /** Name of the cell. */
  readonly cell: string;
  readonly seed: number;
  /** SHA-256 of the page, so that loads of another version of the page are not mixed with these. */
  readonly page: string;
  readonly versions: {readonly browser: string; readonly server: string; readonly kernel: string};
  readonly result: BrowserLoad | {readonly failed: string};
}

/** Reads the lines of a file with results. A line that was cut when the program was killed is left out. */
export function readResults(file: string): readonly ResultLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      const json = readJson(line);
      return json.ok ? [json.value as unknown as ResultLine] : [];
    });
}

/** Appends a line. A line break precedes it, so that it stays readable if the line before was cut. */
export function appendResult(file: string, line: ResultLine): void {
  mkdirSync(dirname(file), {recursive: true});
  appendFileSync(file, `\n${JSON.stringify(line)}\n`);
}
