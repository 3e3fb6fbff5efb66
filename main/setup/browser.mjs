import {existsSync} from 'node:fs';
import {delimiter, join} from 'node:path';

/** An installed Chromium or Chrome; undefined if there is none. `INTERLEAVE_BROWSER` names another. */
export function findBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'].flatMap(name =>
    folders.map(folder => join(folder, name)),
  );
  return [process.env.INTERLEAVE_BROWSER, ...found, ...MAC].find(
    path => path !== undefined && existsSync(path),
  );
}

const MAC = ['Google Chrome', 'Chromium'].map(name => `/Applications/${name}.app/Contents/MacOS/${name}`);
