import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {root} from '../../main/setup/command.mjs';
import {documents, fencedBlocks, textOf} from './markdown.ts';

// Checks that each file of examples/ does what the README there says.

const folder = mkdtempSync(join(tmpdir(), 'interleave-examples-'));
afterAll(() => rmSync(folder, {recursive: true}));

const PROGRAM = join(root, 'main/cli/interleave.mjs');
const example = (name: string): string => join(root, 'examples', name);

function output(program: string, args: readonly string[]): string {
  const {status, stdout, stderr} = spawnSync(program, args, {cwd: folder, encoding: 'utf8'});
  expect({status, stderr: status === 0 ? '' : stderr}).toEqual({status: 0, stderr: ''});
  return stdout;
}

test.each(readdirSync(example('')).filter(name => name.endsWith('.scenario.json')))('%s runs', name => {
  const printed = output(process.execPath, [PROGRAM, 'run', '--scenario', example(name)]);
  expect(printed).toMatch(/^outcome( +complete){2,3}$/m);
});

test('figure.mjs uses the API by its name, prints page times and draws them', {tags: ['long']}, () => {
  const drawn = join(folder, 'api.svg');
  const printed = output(process.execPath, [example('figure.mjs'), drawn]);
  expect(printed).toMatch(/^(loss \d %: tcp \d+ ms, sctp \d+ ms\n){3}$/);
  expect(readFileSync(drawn, 'utf8')).toMatch(/^<svg /);
});

test('figure.py draws a line for each loss rate, from the complete loads over SCTP', () => {
  const header = 'path.loss,panes.1.streams,seed,pane,pipeline,outcome,pageTimeMs,p50PageMs,reason,paneName';
  const rows = [0, 0.03].flatMap(loss =>
    [1, 4].flatMap(streams => [
      ...[1, 2].map(seed => `${loss},${streams},${seed},2,sctp,complete,900,${seed * streams * 100},,SCTP`),
      `${loss},${streams},1,1,tcp,complete,900,9000,,TCP`,
      `${loss},${streams},3,2,sctp,aborted,,,aborted,SCTP`,
    ]),
  );
  const [results, figure] = [join(folder, 'results.csv'), join(folder, 'figure.svg')];
  writeFileSync(results, `${[header, ...rows].join('\n')}\n`);
  expect(output('python3', [example('figure.py'), results, figure])).toContain('is written');
  const drawn = readFileSync(figure, 'utf8');
  expect(drawn.match(/<polyline/g)).toHaveLength(2);
  expect(drawn).toContain('3 % loss');
  // the largest mean is 0.6 s, because neither incomplete loads nor loads over TCP are drawn
  expect(drawn).not.toContain('1 s<');
});

test('compare.mjs prints a row for each loss', {tags: ['long']}, () => {
  expect(output(process.execPath, [example('compare.mjs')])).toMatch(/^loss.*\n( +\d %( +\d+\.\d\d){2}\n){3}$/);
});

test('core.mjs tells how many packets the path lost', () => {
  expect(output(process.execPath, [example('core.mjs')])).toMatch(/^\d+ packets lost by \d+\.\d+ s$/m);
});

test('the README of the examples names every one of them', () => {
  const named = textOf('examples/README.md');
  for (const name of readdirSync(example(''))) if (name !== 'README.md') expect(named).toContain(`](${name})`);
});

const copies = documents().flatMap(path =>
  fencedBlocks(textOf(path))
    .filter(({mark}) => mark.startsWith('examples/'))
    .map(block => [path, block.mark, block.text] as const),
);

test.each(copies)('%s shows %s as it is', (_, file, text) => {
  expect(readFileSync(join(root, file), 'utf8')).toContain(text);
});
