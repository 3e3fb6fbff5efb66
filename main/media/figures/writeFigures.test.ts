import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import sharp from 'sharp';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {gridFigures} from '../../../app/study/figures/gridFigures.ts';
import {LOSS_GRID, summaryOf} from '../../../app/study/figures/testing/grids.ts';
import type {Report} from '../../../app/study/report/report.ts';
import {program} from '../../files/program.ts';
import {bundleMain, bundles} from '../../setup/bundle.mjs';
import {type FigureWriting, writeReport} from './writeFigures.ts';

const root = mkdtempSync(join(tmpdir(), 'interleave-figures-'));
const figures = gridFigures(summaryOf(LOSS_GRID));
const report: Report = {
  title: 'Figures',
  lead: [],
  sections: [
    {heading: 'All', parts: figures.map(figure => ({kind: 'figure', figure}))},
    // the report shows this figure twice, but it is drawn once
    {heading: 'One again', parts: figures.slice(0, 1).map(figure => ({kind: 'figure', figure}))},
  ],
};
beforeAll(async () => bundleMain());
afterAll(() => rmSync(root, {recursive: true, force: true}));

function write(folder: string, more: Partial<FigureWriting> = {}): Promise<void> {
  const out = join(root, folder);
  mkdirSync(out, {recursive: true});
  const signal = new AbortController().signal;
  const worker = pathToFileURL(join(bundles, 'figureWorker.mjs'));
  return writeReport(out, report, {worker, jobs: 2, signal, onProgress: () => {}, ...more});
}

const filesOf = (folder: string) => {
  const path = join(root, folder, 'figures');
  return Object.fromEntries(readdirSync(path).map(name => [name, readFileSync(join(path, name))]));
};

test('every figure is written as SVG and PNG, for print and for a screen, together with its data', async () => {
  const told: number[] = [];
  await write('all', {onProgress: done => told.push(done)});
  expect(told).toEqual([1, 2, 3, 4, 5]);
  const files = filesOf('all');
  const ends = ['.csv', '.png', '.screen.png', '.screen.svg', '.svg'];
  expect(Object.keys(files).sort()).toEqual(figures.flatMap(({name}) => ends.map(end => name + end)).sort());
  for (const style of ['', '.screen']) {
    const svg = await sharp(files[`page-time-t${style}.svg`]).metadata();
    const png = await sharp(files[`page-time-t${style}.png`]).metadata();
    expect(png.comments).toEqual([{keyword: 'Software', text: program()}]);
    expect(files[`page-time-t${style}.svg`]?.includes(`<metadata>${program()}</metadata></svg>`)).toBe(true);
    expect([png.format, png.width, png.height]).toEqual(['png', 2 * (svg.width ?? 0), 2 * (svg.height ?? 0)]);
  }
  const corner = async (name: string) => {
    const {data} = await sharp(files[name])
      .extract({left: 0, top: 0, width: 1, height: 1})
      .raw()
      .toBuffer({resolveWithObject: true});
    return [...data.subarray(0, 3)];
  };
  expect(await corner('ppage.png')).toEqual([255, 255, 255]);
  expect(await corner('ppage.screen.png')).toEqual([0x14, 0x17, 0x1a]);
  expect(readFileSync(join(root, 'all/report.html'), 'utf8').match(/<figure><svg/g)).toHaveLength(6);
});

test('the files are the same with any number of threads, and when they replace others', {tags: ['long']}, async () => {
  await write('one', {jobs: 1});
  await write('one', {jobs: 3});
  await write('again', {jobs: 2});
  expect(filesOf('one')).toEqual(filesOf('again'));
});

test('a cancelled report is not written', async () => {
  const abort = new AbortController();
  const onProgress = () => abort.abort(new Error('enough'));
  await expect(write('cancelled', {signal: abort.signal, onProgress})).rejects.toThrow('enough');
  expect(existsSync(join(root, 'cancelled/report.html'))).toBe(false);
});

test('a folder that cannot be written causes an error', async () => {
  mkdirSync(join(root, 'blocked'));
  writeFileSync(join(root, 'blocked/figures'), '');
  await expect(write('blocked')).rejects.toThrow(/cannot write .*blocked\/figures/);
});

test('two figures with the same name cause an error', async () => {
  const [first, second] = figures;
  if (first === undefined || second === undefined) throw new Error('there are five');
  const parts = [first, {...second, name: first.name}].map(figure => ({kind: 'figure' as const, figure}));
  const twins = {...report, sections: [{heading: 'twins', parts}]};
  const writing = {
    worker: new URL('file:///none'),
    jobs: 1,
    signal: new AbortController().signal,
    onProgress: () => {},
  };
  await expect(writeReport(join(root, 'twins'), twins, writing)).rejects.toThrow('two have the same name');
});
