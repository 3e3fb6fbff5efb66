import {crc32} from 'node:zlib';
import {expect, test} from 'vitest';
import {ZipFile} from 'yazl';
import {zipFiles} from './zipFiles.ts';

// The web edition reads zip archives with another library than the desktop program. The same hostile archives as in
// main/pages/open/hostile.test.ts are refused.

async function zipOf(files: {readonly [path: string]: string}, compress = true): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), path, {compress});
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** The place of the nth entry in the archive's directory. */
function directoryEntry(zip: Buffer, nth = 0): number {
  let at = zip.indexOf('PK\x01\x02');
  for (let i = 0; i < nth; i++) at = zip.indexOf('PK\x01\x02', at + 4);
  return at;
}

async function read(zip: Buffer, path: string): Promise<string | undefined> {
  const bytes = await (await zipFiles('a.zip', zip)).read(path, 1e6);
  return bytes && Buffer.from(bytes).toString();
}

test.each([
  ['compressed', true, 8],
  ['stored', false, 0],
])('%s files of an archive are read, unless they have more bytes than allowed', async (_, compress, method) => {
  const zip = await zipOf({'a.txt': 'a'.repeat(1000), 'b/c.txt': 'c', 'empty.txt': ''}, compress);
  // the compression method (APPNOTE §4.4.5)
  expect(zip.readUInt16LE(directoryEntry(zip) + 10)).toBe(method);
  const set = await zipFiles('a.zip', zip);
  expect(set.paths).toEqual(['a.txt', 'b/c.txt', 'empty.txt']);
  expect(await read(zip, 'a.txt')).toBe('a'.repeat(1000));
  expect(await read(zip, 'empty.txt')).toBe('');
  expect(await read(zip, 'none')).toBeUndefined();
  await expect(set.read('a.txt', 999)).rejects.toThrow('it has more than 999 bytes');
});

test('a truncated archive, or a file that is not an archive, is refused in one line', async () => {
  const zip = await zipOf({'a.txt': 'a'});
  for (const bytes of [zip.subarray(0, -10), Buffer.from('hello'), Buffer.alloc(0)])
    await expect(zipFiles('a.zip', bytes)).rejects.toThrow(/^page: a\.zip is not a readable zip file: .+/);
});

test('a file that unpacks to more or fewer bytes than the archive states is refused', async () => {
  for (const bytes of [999, 1001]) {
    const zip = await zipOf({'a.txt': 'a'.repeat(1000)});
    // the size in the directory and in the local header (APPNOTE §4.3.7, §4.3.12)
    for (const at of [directoryEntry(zip) + 24, 22]) zip.writeUInt32LE(bytes, at);
    await expect(read(zip, 'a.txt')).rejects.toThrow('it is damaged');
  }
});

test('a file with a wrong checksum is refused', async () => {
  const zip = await zipOf({'a.txt': 'a'.repeat(1000)});
  for (const at of [directoryEntry(zip) + 16, 14]) zip.writeUInt32LE(crc32('b'), at);
  await expect(read(zip, 'a.txt')).rejects.toThrow('it is damaged');
});

test('an encrypted file is refused', async () => {
  const zip = await zipOf({'a.txt': 'a'});
  for (const at of [directoryEntry(zip) + 8, 6]) zip.writeUInt16LE(zip.readUInt16LE(at) | 1, at);
  await expect(read(zip, 'a.txt')).rejects.toThrow('it is encrypted');
});

test('an archive whose entries overlap is refused completely', async () => {
  const zip = await zipOf({'a.txt': 'a'.repeat(100), 'b.txt': 'b'});
  // The second entry begins where the first entry begins.
  zip.writeUInt32LE(0, directoryEntry(zip, 1) + 42);
  await expect(zipFiles('a.zip', zip)).rejects.toThrow('page: a.zip has files that overlap: the archive is malicious');
});

test('an archive with more than 20,000 files is refused', {tags: ['long']}, async () => {
  const zip = await zipOf({'a.txt': 'a'});
  const [directory, end] = [directoryEntry(zip), zip.indexOf('PK\x05\x06')];
  const entry = zip.subarray(directory, end);
  const entries = 20_001;
  const tail = Buffer.from(zip.subarray(end));
  // the number of entries, and the size of the directory (APPNOTE §4.3.16)
  for (const at of [8, 10]) tail.writeUInt16LE(entries, at);
  tail.writeUInt32LE(entries * entry.length, 12);
  const many = Buffer.concat([zip.subarray(0, directory), ...Array.from({length: entries}, () => entry), tail]);
  await expect(zipFiles('a.zip', many)).rejects.toThrow('page: a.zip has more than 20000 files');
});
