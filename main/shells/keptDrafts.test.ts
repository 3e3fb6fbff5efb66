import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import * as outputFile from '../files/outputFile.ts';
import {KeptDrafts} from './keptDrafts.ts';

vi.mock('../files/outputFile.ts', async load => ({...(await load<typeof outputFile>())}));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-kept-'));
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

const STALE = {ok: false, isStale: true};
/** Opens the drafts as another process does, or another shell in this process. */
const store = () => new KeptDrafts(folder);
const kept = async () => (await store().list()).map(({id, revision, story}) => [id, revision, story]);
const files = () => readdirSync(join(folder, 'stories')).sort();

test('a draft is stored, each revision replaces the previous one, and the next program reads the draft', async () => {
  const drafts = new KeptDrafts(join(folder, 'not/there/yet'));
  expect(await drafts.list()).toEqual([]);
  // no call waits for the previous one
  const answers = [0, 1, 2].map(base => drafts.keep('a', base, 'w', {title: `“${base}”`}));
  expect(await Promise.all(answers)).toEqual([1, 2, 3].map(revision => ({ok: true, revision})));
  expect(await new KeptDrafts(join(folder, 'not/there/yet')).list()).toEqual([
    {id: 'a', revision: 3, writer: 'w', story: {title: '“2”'}},
  ]);
  expect(readdirSync(join(folder, 'not/there/yet/stories'))).toEqual(['a.3.json']);
});

test('the draft that was written last comes first', async () => {
  for (const id of ['a', 'b', 'c']) await store().keep(id, 0, 'w', {});
  await store().keep('b', 1, 'w', {});
  expect((await kept()).map(([id]) => id)).toEqual(['b', 'c', 'a']);
});

describe('of several windows', () => {
  test('the second that changes a revision is refused, and changes nothing', async () => {
    const [one, two] = [store(), store()];
    expect(await one.keep('a', 0, 'one', {title: 'first'})).toEqual({ok: true, revision: 1});
    expect(await two.keep('a', 1, 'two', {title: 'second'})).toEqual({ok: true, revision: 2});
    expect(await one.keep('a', 1, 'one', {title: 'lost'})).toEqual(STALE);
    expect(await one.keep('a', 0, 'one', {title: 'lost'})).toEqual(STALE);
    expect(await one.keep('a', 7, 'one', {title: 'lost'})).toEqual(STALE);
    expect(await one.remove('a', 1)).toEqual(STALE);
    expect(await kept()).toEqual([['a', 2, {title: 'second'}]]);
    expect(await one.remove('a', 2)).toEqual({ok: true, revision: 2});
    // the draft was removed
    expect(await two.keep('a', 2, 'two', {title: 'third'})).toEqual(STALE);
    expect(await kept()).toEqual([]);
  });

  test('each writes its own draft, and does not change the draft of the other', async () => {
    const [one, two] = [store(), store()];
    const write = async (drafts: KeptDrafts, id: string) => {
      for (let base = 0; base < 10; base++) await drafts.keep(id, base, 'w', {base});
    };
    await Promise.all([write(one, 'a'), write(two, 'b')]);
    expect(files()).toEqual(['a.10.json', 'b.10.json']);
  });

  test('the second is refused even if the first has stored several revisions meanwhile', async () => {
    const [one, two] = [store(), store()];
    await one.keep('a', 0, 'one', 'first');
    const {writeNew} = await vi.importActual<typeof outputFile>('../files/outputFile.ts');
    vi.spyOn(outputFile, 'writeNew').mockImplementationOnce(async (path, bytes) => {
      for (const base of [1, 2]) await two.keep('a', base, 'two', `after ${base}`);
      return writeNew(path, bytes);
    });
    expect(await one.keep('a', 1, 'one', 'lost')).toEqual(STALE);
    expect([await kept(), files()]).toEqual([[['a', 3, 'after 2']], ['a.3.json']]);
  });

  test('only one stores each revision, even if three write as fast as they can', async () => {
    const write = async (): Promise<readonly number[]> => {
      const drafts = store();
      const own: number[] = [];
      while (own.length < 50) {
        const [{revision = 0} = {}] = await drafts.list();
        const answer = await drafts.keep('a', revision, 'w', {});
        if (answer.ok) own.push(answer.revision);
      }
      return own;
    };
    const all = (await Promise.all([write(), write(), write()])).flat();
    expect(all.sort((a, b) => a - b)).toEqual(Array.from({length: 150}, (_, i) => i + 1));
    expect(files()).toEqual(['a.150.json']);
  });
});

test('drafts that are being stored are complete before the program ends', async () => {
  const drafts = store();
  void drafts.keep('a', 0, 'w', 'x'.repeat(1_000_000));
  await drafts.close();
  expect(await kept()).toEqual([['a', 1, 'x'.repeat(1_000_000)]]);
});

test.each<[string, unknown[], string]>([
  ['a name that is a path', ['../a', 0, 'w', {}], 'must have 1 to 64 letters, digits and hyphens'],
  ['no name', [undefined, 0, 'w', {}], 'must have 1 to 64 letters, digits and hyphens'],
  ['a long name', ['a'.repeat(65), 0, 'w', {}], 'must have 1 to 64 letters, digits and hyphens'],
  ['an invalid writer', ['a', 0, {}, {}], 'must have 1 to 64 letters, digits and hyphens'],
  ['a negative revision', ['a', -1, 'w', {}], 'a revision is a whole number from 0 on, not -1'],
  ['half a revision', ['a', 0.5, 'w', {}], 'a revision is a whole number from 0 on, not 0.5'],
  ['a story that is too large', ['a', 0, 'w', 'ü'.repeat(5_000_000)], 'the story has 10000025 bytes (at most 8388608)'],
])('%s is refused, and the stored draft remains', async (_, [id, base, writer, story], message) => {
  const drafts = store();
  await drafts.keep('a', 0, 'w', 'old');
  await expect(drafts.keep(id, base, writer, story)).rejects.toThrow(message);
  expect(await kept()).toEqual([['a', 1, 'old']]);
});

test('a folder that cannot be written to is reported, and the next call tries again', async () => {
  const place = join(folder, 'stories');
  writeFileSync(place, 'a file');
  const drafts = store();
  await expect(drafts.keep('a', 0, 'w', {})).rejects.toThrow();
  expect(await drafts.list()).toEqual([]);
  rmSync(place);
  expect(await drafts.keep('a', 0, 'w', {})).toEqual({ok: true, revision: 1});
});

test('an unreadable file does not prevent opening, is reported, and remains until it is discarded', async () => {
  mkdirSync(join(folder, 'stories'));
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder, 'stories', name), text);
  write('half.3.json', '{"writer":"w","sto');
  write('other.1.json', '7');
  write('large.2.json', new Uint8Array(9 * 1024 * 1024));
  write('not ours.txt', 'x');
  mkdirSync(join(folder, 'stories/folder.1.json'));
  const list = await store().list();
  expect(new Map(list.map(({id, story, problem}) => [id, [story, problem]]))).toEqual(
    new Map([
      ['half', [null, expect.stringContaining('JSON')]],
      ['other', [null, 'it is not a story’s file']],
      ['large', [null, 'it has 9437184 bytes (at most 8388608)']],
      ['folder', [null, expect.stringContaining('EISDIR')]],
    ]),
  );
  expect(await store().remove('half', 3)).toEqual({ok: true, revision: 3});
  expect(files()).toEqual(['folder.1.json', 'large.2.json', 'not ours.txt', 'other.1.json']);
});

test('the newest of several revisions counts, if a killed program left older ones', async () => {
  await store().keep('a', 0, 'w', 'one');
  const [name = ''] = files();
  const text = readFileSync(join(folder, 'stories', name), 'utf8');
  writeFileSync(join(folder, 'stories/a.2.json'), text.replace('one', 'two'));
  expect(await kept()).toEqual([['a', 2, 'two']]);
  await store().keep('a', 2, 'w', 'three');
  expect(files()).toEqual(['a.3.json']);
});

test('the single file of the program’s first version is converted once, even if it cannot be parsed', async () => {
  const old = join(folder, 'stories.json');
  const list = [{id: 'new', story: {title: 'New'}}, {story: {title: 'No name'}}, 7];
  writeFileSync(old, JSON.stringify(list));
  await Promise.all([store().list(), store().list()]);
  const taken = (await store().list()).map(({revision, story}) => [revision, story]);
  expect(taken).toEqual([
    [1, {title: 'New'}],
    [1, {title: 'No name'}],
    [1, 7],
  ]);
  expect(readdirSync(folder).sort()).toEqual(['stories', 'stories.json.old']);
  writeFileSync(old, '{ cut off');
  expect((await kept()).map(([, , story]) => story)).toContain('{ cut off');
});
