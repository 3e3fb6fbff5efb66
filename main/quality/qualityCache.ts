import {createHash} from 'node:crypto';
import {mkdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {MEASURING_VERSION} from '../../app/quality/measuringVersion.ts';
import type {PageQuality} from '../../app/quality/pageQuality.ts';
import {cacheFolder} from '../files/cacheFolder.ts';
import {FileError} from '../files/fileError.ts';
import {writeWhole} from '../files/outputFile.ts';

/** Names what was measured: of which content, by which browser, and how. */
export function cacheKey(pageHash: string, browser: string): string {
  return sha256(JSON.stringify([pageHash, browser, MEASURING_VERSION]));
}

/** What was measured before, or `measure` gives, which is known from then on. */
export async function qualityOnce(key: string, measure: () => Promise<PageQuality>): Promise<PageQuality> {
  const known = await knownQuality(key);
  if (known !== undefined) return known;
  const quality = await measure();
  await keepQuality(key, quality);
  return quality;
}

/** What was measured before; undefined if it was not, or its file is damaged. */
export async function knownQuality(key: string): Promise<PageQuality | undefined> {
  try {
    const text = await readFile(fileOf(key), 'utf8');
    const end = text.indexOf('\n');
    const document = text.slice(end + 1);
    // what another program or half a disk wrote has another sum
    if (end < 0 || text.slice(0, end) !== sha256(key + document)) return undefined;
    return JSON.parse(document) as PageQuality;
  } catch {
    return undefined;
  }
}

/** Where nothing can be written, it is measured again the next time. */
async function keepQuality(key: string, quality: PageQuality): Promise<void> {
  const document = JSON.stringify(quality);
  const bytes = Buffer.from(`${sha256(key + document)}\n${document}`);
  try {
    await mkdir(cacheFolder('quality'), {recursive: true});
    await writeWhole(fileOf(key), bytes, UNABORTED);
  } catch (error) {
    const isOfFiles = error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOfFiles) throw error;
  }
}

/** It is small: whoever is in a hurry looks afterwards. */
const UNABORTED = new AbortController().signal;

function fileOf(key: string): string {
  return join(cacheFolder('quality'), `${key}.json`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
