import {createHash} from 'node:crypto';
import {MEASURING_VERSION} from '../../../app/run/quality/curve.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {type KeptFile, keep, readKept} from '../../files/keptFile.ts';

/** Names what was measured: of which content, by which browser, and how. */
export function cacheKey(pageHash: string, browser: string): string {
  const text = JSON.stringify([pageHash, browser, MEASURING_VERSION]);
  return createHash('sha256').update(text).digest('hex');
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
  const document = await readKept(fileOf(key));
  return document && (JSON.parse(new TextDecoder().decode(document)) as PageQuality);
}

function keepQuality(key: string, quality: PageQuality): Promise<void> {
  return keep(fileOf(key), Buffer.from(JSON.stringify(quality)));
}

function fileOf(key: string): KeptFile {
  return {kind: 'quality', name: `${key}.json`, key};
}
