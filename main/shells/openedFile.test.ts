import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {isOpenable, readOpenedFile, readOpenedFiles} from './openedFile.ts';

test.each([
  ['empty.json', '', 'is empty'],
  ['binary.json', Uint8Array.of(0xff), 'not JSON: not UTF-8'],
  ['huge.json', new Uint8Array(5e6), 'has 5000000 bytes (at most 4194304)'],
  ['damaged.trace', 'ILTRACE\n', 'not a trace file'],
  ['letter.docx', 'PK', 'letter.docx is not a file that can be opened: Interleave opens pages'],
])('%s is refused by a plain Error, which npm start prints in one line', (name, content, why) => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    const path = join(folder, name);
    writeFileSync(path, content);
    const refused = expect.objectContaining({name: 'Error', message: expect.stringContaining(why)});
    expect(() => readOpenedFile(path)).toThrow(refused);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('a page is opened with the default scenario: an archive, a folder, an address', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    const [zip, own] = [join(folder, 'page.zip'), join(folder, 'own')];
    writeFileSync(zip, '');
    mkdirSync(own);
    for (const page of [zip, own, 'https://a.test/']) {
      expect(JSON.parse(readOpenedFile(page).text)).toEqual({page});
    }
    expect(readOpenedFile('none.zip').text).toBe('none.zip');
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('a folder must be made into a bundle only if it has no index.html', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    expect([folder, join(folder, 'none.zip'), 'a\0.zip'].map(isOpenable)).toEqual([true, false, false]);
    writeFileSync(join(folder, 'index.html'), '');
    expect(isOpenable(folder)).toBe(false);
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('trace files are opened side by side, but not together with a file of another kind', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    const bytes = encodeRun({scenario: {seed: 8}, panes: []});
    const named = ['a.trace', 'b.trace', 'c.json'].map(name => ({name, path: join(folder, name)}));
    for (const {path} of named.slice(0, 2)) writeFileSync(path, bytes);
    writeFileSync(join(folder, 'c.json'), '{}');
    const [a, b] = named.slice(0, 2).map(({name}) => ({name, bytes: Buffer.from(bytes)}));
    expect(readOpenedFiles(named.slice(0, 2))).toEqual({
      name: 'a.trace, b.trace',
      text: 'a.trace, b.trace',
      traces: [a, b],
    });
    // the scenario of a single trace is computed again
    expect(readOpenedFiles(named.slice(0, 1))).toEqual({name: 'a.trace', text: '{"seed":8}'});
    expect(() => readOpenedFiles(named)).toThrow('c.json is not a trace file');
    expect(() => readOpenedFiles([...named.slice(0, 1), {name: 'gone.trace', path: join(folder, 'gone')}])).toThrow(
      'gone.trace is not a trace file',
    );
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('a trace of a live load is opened as a trace, because no scenario reproduces it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    const path = join(folder, 'live.trace');
    writeFileSync(path, encodeRun({scenario: {path: {live: 'a:1'}}, panes: []}));
    expect(readOpenedFile(path)).toMatchObject({name: 'live.trace', traces: [{name: 'live.trace'}]});
  } finally {
    rmSync(folder, {recursive: true});
  }
});

test('captures and key logs are recognised by their content, and a HAR file alone is opened as a page', () => {
  const captures = join(import.meta.dirname, '../../fixtures/captures');
  const named = (...names: readonly string[]) => names.map(name => ({name, path: join(captures, name)}));
  expect(readOpenedFiles(named('ngtcp2.pcap', 'keys.log'))).toMatchObject({
    name: 'ngtcp2.pcap, keys.log',
    captures: [{name: 'ngtcp2.pcap'}, {name: 'keys.log'}],
  });
  expect(readOpenedFiles(named('chromium-h2.netlog')).captures).toHaveLength(1);
  const folder = mkdtempSync(join(tmpdir(), 'interleave-opened-'));
  try {
    const archive = join(folder, 'one.har');
    writeFileSync(archive, '{"log": {"entries": []}}');
    expect(readOpenedFile(archive).captures).toBeUndefined();
    const two = [{name: 'one.har', path: archive}, ...named('ngtcp2.pcap')];
    expect(readOpenedFiles(two).captures).toHaveLength(2);
  } finally {
    rmSync(folder, {recursive: true});
  }
});
