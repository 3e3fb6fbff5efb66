import {createHash} from 'node:crypto';
import {mkdir, readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {MEASURING_VERSION} from '../../app/quality/measurer.ts';
import type {PageQuality} from '../../app/quality/pageQuality.ts';
import {FileError} from '../files/fileError.ts';
import {writeWhole} from '../files/outputFile.ts';

/** Names what was measured: of which content, by which browser, and how. */
export function cacheKey(pageHash: string, browser: string): string {
  return sha256(JSON.stringify([pageHash, browser, MEASURING_VERSION]));
}

/** What was measured before; undefined if it was not, or its file is damaged. */
export async function knownQuality(key: string, objects: number): Promise<PageQuality | undefined> {
  try {
    const text = await readFile(fileOf(key), 'utf8');
    const end = text.indexOf('\n');
    const document = text.slice(end + 1);
    // what another program or half a disk wrote has another sum
    if (end < 0 || text.slice(0, end) !== sha256(key + document)) return undefined;
    const quality = JSON.parse(document) as PageQuality;
    return quality.objects.length === objects ? quality : undefined;
  } catch {
    return undefined;
  }
}

/** Where nothing can be written, it is measured again the next time. */
export async function keepQuality(key: string, quality: PageQuality, signal: AbortSignal): Promise<void> {
  const document = JSON.stringify(quality);
  const bytes = Buffer.from(`${sha256(key + document)}\n${document}`);
  try {
    await mkdir(cacheFolder(), {recursive: true});
    await writeWhole(fileOf(key), bytes, signal);
  } catch (error) {
    const isOfFiles = error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOfFiles || signal.aborted) throw error;
  }
}

function fileOf(key: string): string {
  return join(cacheFolder(), `${key}.json`);
}

/** Where the platform keeps what can be made again; `XDG_CACHE_HOME` names another place (XDG Base Directory 0.8). */
function cacheFolder(): string {
  const {XDG_CACHE_HOME, LOCALAPPDATA} = process.env;
  const usual: {readonly [platform: string]: string} = {
    darwin: join(homedir(), 'Library/Caches'),
    win32: LOCALAPPDATA ?? join(homedir(), 'AppData/Local'),
  };
  const folder = XDG_CACHE_HOME || (usual[process.platform] ?? join(homedir(), '.cache'));
  return join(folder, 'interleave/quality');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
