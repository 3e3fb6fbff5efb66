import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {encode} from '@msgpack/msgpack';
import {copyPage} from '../../pages/base/pageSnapshot.ts';
import {fixtureNames, openPage} from '../../pages/openPage.ts';

export {versionAt} from '../../files/program.ts';

/**
 * Writes the pages of the program as files of the web edition, and returns their names. Each file is the page's
 * snapshot in MessagePack. `fixtures` is the folder of the pages.
 */
export async function makePages(fixtures: string, folder: string): Promise<readonly string[]> {
  mkdirSync(folder, {recursive: true});
  const names = fixtureNames(fixtures);
  for (const name of names) {
    const page = await openPage({kind: 'named', name}, fixtures);
    writeFileSync(join(folder, `${name}.page`), encode(copyPage(page)));
  }
  return names;
}
