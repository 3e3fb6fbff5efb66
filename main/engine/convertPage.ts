import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import type {Conversion, ConvertedPicture, ConvertedPictures} from '../../app/page/conversion.ts';
import type {PageObject, PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {openPage} from './pages.ts';
import {withConverted} from './snapshot.ts';

/** The page of a scenario, with what its panes' gateways make of it. @throws PageError */
export async function openPageFor(
  {page, panes}: Pick<Scenario, 'page' | 'panes'>,
  fixtures: string,
): Promise<PageSnapshot> {
  return convertPage(await openPage(page, fixtures), conversionsOf(panes));
}

/** The page with these conversions of its pictures; each picture is converted once, and kept on disk. */
export async function convertPage(
  page: PageSnapshot,
  conversions: readonly Conversion[],
): Promise<PageSnapshot> {
  if (conversions.length === 0) return page;
  const {shrinkPictures} = await import('../conversion/keptPicture.ts');
  const converted: ConvertedPictures[] = [];
  for (const conversion of conversions) {
    converted.push({conversion, objects: await convertObjects(page.objects, conversion)});
  }
  await shrinkPictures();
  return withConverted(page, converted);
}

/** As many at once as there are cores: each takes one. */
async function convertObjects(
  objects: readonly PageObject[],
  conversion: Conversion,
): Promise<readonly (ConvertedPicture | null)[]> {
  const made: (ConvertedPicture | null)[] = objects.map(() => null);
  const left = objects.entries();
  const work = async (): Promise<void> => {
    for (const [number, {body}] of left) if (body !== null) made[number] = await convert(body, conversion);
  };
  await Promise.all(Array.from({length: availableParallelism()}, work));
  return made;
}

async function convert(body: Uint8Array, conversion: Conversion): Promise<ConvertedPicture | null> {
  const {convertedOnce} = await import('../conversion/keptPicture.ts');
  const made = await convertedOnce(body, conversion, () => performance.now());
  if (made === undefined) return null;
  const {bytes, ...others} = made;
  return {...others, body: bytes};
}
