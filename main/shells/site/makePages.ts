import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {encode} from '@msgpack/msgpack';
import {CONVERSIONS, type ConvertedPictures} from '../../../app/page/conversion.ts';
import {copyPage} from '../../pages/base/pageSnapshot.ts';
import {convertPage} from '../../pages/convertPage.ts';
import {fixtureNames, openPage} from '../../pages/openPage.ts';

/** The content of a file of the site with the converted pictures of a page that is part of the program. */
export interface ConvertedFile {
  /** The hash of the page. */
  readonly hash: string;
  readonly pictures: ConvertedPictures;
}

export {versionAt} from '../../files/program.ts';

/**
 * Writes the pages of the program as files of the web edition, and returns their names. A page is a file with its
 * snapshot, and a file with its converted pictures for each conversion, all in MessagePack. `fixtures` is the folder of
 * the pages.
 */
export async function makePages(fixtures: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, {recursive: true});
  const names = fixtureNames(fixtures);
  for (const name of names) {
    const page = await openPage({kind: 'named', name}, fixtures);
    writeFileSync(join(folder, `${name}.page`), encode(copyPage(page)));
    for (const conversion of CONVERSIONS) {
      const [pictures] = copyPage(await convertPage(page, [conversion])).converted ?? [];
      if (pictures === undefined) throw new Error(`${name} was not converted (${conversion})`);
      const file: ConvertedFile = {hash: page.hash, pictures};
      writeFileSync(join(folder, `${name}+${conversion}.page`), encode(file));
    }
  }
  return names;
}
