import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {encode} from '@msgpack/msgpack';
import {CONVERSIONS, type ConvertedPictures} from '../../../app/page/conversion.ts';
import {copyPage} from '../../pages/base/pageSnapshot.ts';
import {convertPage} from '../../pages/convertPage.ts';
import {fixtureNames, openPage} from '../../pages/openPage.ts';

/** The content of a file of the site: the pictures of one of the program's pages after one conversion. */
export interface ConvertedFile {
  /** The hash of the page. */
  readonly hash: string;
  readonly pictures: ConvertedPictures;
}

export {versionAt} from '../../files/program.ts';

/**
 * Writes the program's pages as files of the web edition into `folder`, and returns the names of the pages. For each
 * page there is a file with the snapshot, and a file with the converted pictures for each conversion. All files are in
 * MessagePack. `fixtures` is the folder from which the pages are read.
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
