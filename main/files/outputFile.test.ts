import {spawnSync} from 'node:child_process';
import {
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {FileError} from './fileError.ts';
import {type Existing, OutputFile, writeWhole} from './outputFile.ts';

vi.mock('node:fs/promises', async load => ({...(await load<typeof fsPromises>())}));

const never = new AbortController().signal;
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'interleave-files-')));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, {recursive: true});
});

describe('an existing file', () => {
  test('is replaced only when the new one is complete', async () => {
    const path = place('a.txt', 'old');
    const file = await OutputFile.create(path);
    await file.write(Buffer.from('new'), 0);
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(await file.keep()).toBe(path);
    await file.discard();
    expect(files()).toEqual({'a.txt': 'new'});
  });

  test('stays if the new one is discarded', async () => {
    const file = await OutputFile.create(place('a.txt', 'old'));
    await file.write(Buffer.from('new'), 0);
    await file.discard();
    expect(files()).toEqual({'a.txt': 'old'});
  });

  test('stays if it should be kept, and the new one gets the next free number', async () => {
    place('a.txt', 'old');
    place('a-2.txt', 'older');
    expect(await write('a.txt', 'new', 'kept')).toBe(join(folder, 'a-3.txt'));
    expect(files()).toEqual({'a.txt': 'old', 'a-2.txt': 'older', 'a-3.txt': 'new'});
  });

  test('stays even if it appeared while the new one was written', async () => {
    const all = await Promise.all([1, 2, 3].map(() => OutputFile.create(join(folder, 'a.txt'), 'kept')));
    place('a.txt', 'another’s');
    const kept = await Promise.all(all.map(file => file.keep()));
    expect(kept.sort()).toEqual(['a-2.txt', 'a-3.txt', 'a-4.txt'].map(name => join(folder, name)));
    expect(files()['a.txt']).toBe('another’s');
    expect(readdirSync(folder)).toHaveLength(4);
  });

  test('stays on a file system without links, too', async () => {
    vi.spyOn(fsPromises, 'link').mockRejectedValue(Object.assign(new Error('no links'), {code: 'EPERM'}));
    place('a.txt', 'old');
    await write('a.txt', 'new', 'kept');
    expect(files()).toEqual({'a.txt': 'old', 'a-2.txt': 'new'});
  });

  test('keeps its permissions, and is replaced through a link', async () => {
    const path = place('a.txt', 'old');
    chmodSync(path, 0o640);
    symlinkSync(path, join(folder, 'link.txt'));
    await write('link.txt', 'new');
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o640]);
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(isRoot)(`that is write-protected stays${isRoot ? ' (skipped: root may write)' : ''}`, async () => {
    chmodSync(place('a.txt', 'old'), 0o444);
    await expect(write('a.txt', 'new')).rejects.toThrow('a.txt: permission denied');
    expect(files()).toEqual({'a.txt': 'old'});
  });
});

describe('a path that cannot be written to is an error of one line:', () => {
  test.each([
    ['no folder', 'nowhere/a.txt', 'there is no such folder'],
    ['a folder', 'folder', 'it is a folder'],
    ['a name too long', `${'x'.repeat(300)}.txt`, 'its name is too long'],
  ])('%s', async (_, name, why) => {
    mkdirSync(join(folder, 'folder'));
    await expect(write(name, 'new')).rejects.toThrow(new RegExp(`^cannot write .*: ${why}$`));
    expect(readdirSync(folder)).toEqual(['folder']);
  });
});

test('a file with a name of 250 characters can be written', async () => {
  const name = `${'x'.repeat(246)}.txt`;
  await write(name, 'new');
  expect(files()).toEqual({[name]: 'new'});
});

describe('writeWhole', () => {
  test('writes a file', async () => {
    await writeWhole(join(folder, 'a.txt'), Buffer.from('new'), never);
    expect(files()).toEqual({'a.txt': 'new'});
  });

  test('leaves the existing file after an abort', async () => {
    const abort = new AbortController();
    const writing = writeWhole(place('a.txt', 'old'), Buffer.from('new'), abort.signal);
    abort.abort();
    await expect(writing).rejects.toBe(abort.signal.reason);
    expect(files()).toEqual({'a.txt': 'old'});
  });

  test('writes to a pipe, which stays a pipe', async () => {
    const pipe = join(folder, 'pipe');
    if (spawnSync('mkfifo', [pipe]).status !== 0) return;
    const [text] = await Promise.all([fsPromises.readFile(pipe, 'utf8'), writeWhole(pipe, Buffer.from('new'), never)]);
    expect([text, statSync(pipe).isFIFO()]).toEqual(['new', true]);
  });

  test('waits for the reader of a pipe until it is aborted', async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const timeout = () => AbortSignal.timeout(200);
    await expect(writeWhole(pipe, Buffer.from('new'), timeout())).rejects.toThrow(/timeout/);
    const reader = await fsPromises.open(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    await expect(writeWhole(pipe, Buffer.alloc(1e6), timeout())).rejects.toThrow(/timeout/);
    await reader.close();
  });

  test('sends all bytes to a reader that opens the pipe later', async () => {
    const pipe = join(folder, 'pipe');
    spawnSync('mkfifo', [pipe]);
    const writing = writeWhole(pipe, Buffer.alloc(1e6, 'x'), never);
    await new Promise(resolve => setTimeout(resolve, 100));
    const [text] = await Promise.all([fsPromises.readFile(pipe, 'utf8'), writing]);
    expect(text).toBe('x'.repeat(1e6));
  });
});

test('a disk that reports only at the end that it is full leaves the existing file', async () => {
  const file = await OutputFile.create(place('a.txt', 'old'));
  vi.spyOn(fsPromises, 'rename').mockRejectedValue(Object.assign(new Error('full'), {code: 'ENOSPC'}));
  await expect(file.keep()).rejects.toEqual(new FileError(join(folder, 'a.txt'), {code: 'ENOSPC'}));
  await file.discard();
  expect(files()).toEqual({'a.txt': 'old'});
});

function place(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function write(name: string, text: string, existing?: Existing): Promise<string> {
  const file = await OutputFile.create(join(folder, name), existing);
  await file.write(Buffer.from(text), 0);
  const path = await file.keep();
  await file.discard();
  return path;
}

function files(): {readonly [name: string]: string} {
  return Object.fromEntries(readdirSync(folder).map(name => [name, readFileSync(join(folder, name), 'utf8')]));
}
