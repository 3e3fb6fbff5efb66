import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {performance} from 'node:perf_hooks';
import {showName} from '../../app/base/text.ts';
import type {Conversion, ConvertedPicture, ConvertedPictures} from '../../app/page/conversion.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {conversionsOf} from '../../app/pipelines/index.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {PageError} from './base/pageErrors.ts';
import {withConverted} from './base/pageSnapshot.ts';
import type {Convert} from './convert/keptPicture.ts';
import {openPage} from './openPage.ts';

/**
 * Opens a scenario's page, and adds every conversion of its pictures that a pane of the scenario needs.
 * @throws PageError
 */
export async function openPageFor(
  {page, panes}: Pick<Scenario, 'page' | 'panes'>,
  fixtures: string,
): Promise<PageSnapshot> {
  return convertPage(await openPage(page, fixtures), conversionsOf(panes));
}

/**
 * Converts each picture of a page by each of the `conversions`, and adds the results to the page. The results are
 * cached on disk. A picture whose result is in the cache is not converted again.
 * @throws PageError
 */
export async function convertPage(page: PageSnapshot, conversions: readonly Conversion[]): Promise<PageSnapshot> {
  if (conversions.length === 0) return page;
  const {shrinkPictures} = await import('./convert/keptPicture.ts');
  const all: ConvertedPictures[] = [];
  for (const conversion of conversions) {
    all.push({conversion, objects: await convertObjects(page, conversion)});
  }
  await shrinkPictures();
  return withConverted(page, all);
}

/** Converts all pictures of a page. As many converters run at the same time as there are cores. @throws PageError */
async function convertObjects(
  {name, objects}: PageSnapshot,
  conversion: Conversion,
): Promise<readonly (ConvertedPicture | null)[]> {
  const {ConversionError} = await import('./convert/converterProcess.ts');
  const made: (ConvertedPicture | null)[] = objects.map(() => null);
  const left = objects.entries();
  const work = async (): Promise<void> => {
    const {convert, close} = await openConverter();
    try {
      for (const [number, {body, url}] of left) {
        made[number] =
          body === null
            ? null
            : await converted(body, conversion, convert).catch((error: unknown) => {
                if (!(error instanceof ConversionError)) throw error;
                throw new PageError(name, `has a picture that cannot be converted, ${showName(url)}: ${error.message}`);
              });
      }
    } finally {
      close();
    }
  };
  await Promise.all(Array.from({length: availableParallelism()}, work));
  return made;
}

async function converted(body: Uint8Array, conversion: Conversion, convert: Convert): Promise<ConvertedPicture | null> {
  const {convertedOnce} = await import('./convert/keptPicture.ts');
  const made = await convertedOnce(body, conversion, convert);
  if (made === undefined) return null;
  const {bytes, ...others} = made;
  return {...others, body: bytes};
}

interface Converter {
  readonly convert: Convert;
  readonly close: () => void;
}

/**
 * Opens a converter that runs in a separate process. The module of that process is in the same folder as the built
 * module that contains this file. In two cases the current process converts the pictures itself: if the module is
 * missing, as in tests that run the sources, and in Electron, where a fork would start another Electron.
 */
async function openConverter(): Promise<Converter> {
  const module = new URL('./converter.mjs', import.meta.url);
  if (existsSync(module) && process.versions['electron'] === undefined) {
    const {ConverterProcess} = await import('./convert/converterProcess.ts');
    const apart = new ConverterProcess(module);
    return {convert: (...asked) => apart.convert(...asked), close: () => apart.close()};
  }
  const {convertedPicture} = await import('./convert/picture.ts');
  return {convert: (...asked) => convertedPicture(...asked, () => performance.now()), close: () => {}};
}
