import {createHash} from 'node:crypto';
import {MEASURING_VERSION} from '../../../app/run/quality/curve.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {type KeptFile, keep, readKept} from '../../files/cache.ts';

/**
 * Makes a key for the measured visual quality of a page. It depends on the page's content, the browser and the version
 * of the method of measuring.
 */
export function cacheKey(pageHash: string, browser: string): string {
  const text = JSON.stringify([pageHash, browser, MEASURING_VERSION]);
  return createHash('sha256').update(text).digest('hex');
}

/** Returns the measurement from the cache, or else calls `measure` and caches the result. */
export async function qualityOnce(key: string, measure: () => Promise<PageQuality>): Promise<PageQuality> {
  const known = await knownQuality(key);
  if (known !== undefined) return known;
  const quality = await measure();
  await keepQuality(key, quality);
  return quality;
}

/** Reads a measurement from the cache. Returns undefined if there is none or its file is damaged. */
export async function knownQuality(key: string): Promise<PageQuality | undefined> {
  const document = await readKept(fileOf(key));
  return document && (JSON.parse(new TextDecoder().decode(document)) as PageQuality);
}

function keepQuality(key: string, quality: PageQuality): Promise<void> {
  return keep(fileOf(key), new TextEncoder().encode(JSON.stringify(quality)));
}

function fileOf(key: string): KeptFile {
  return {kind: 'quality', name: `${key}.json`, key};
}
