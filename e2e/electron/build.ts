import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import react from '@vitejs/plugin-react';
import {build as buildPage} from 'vite';
import {bundle} from '../../main/setup/bundle.mjs';

/**
 * Builds the smoke build into `folder`: the product's own sources, built for Electron 9 (Node 12.14, Chromium 83).
 * `addonLoader` is a JavaScript expression for the path of the addon's loader, which is in the repository by default.
 */
export async function buildSmoke(
  root: string,
  folder: string,
  addonLoader = JSON.stringify(join(root, 'native/addon/index.js')),
): Promise<void> {
  mkdirSync(folder, {recursive: true});
  const entries = {
    main: 'e2e/electron/entry.ts',
    preload: 'main/preload.ts',
    engineWorker: 'e2e/electron/engineWorker.ts',
  };
  for (const [name, entry] of Object.entries(entries)) {
    await bundle(join(root, entry), join(folder, `${name}.js`), 'cjs', {
      // for ES2019, because Node 12.14 lacks private methods
      target: 'es2019',
      config: {
        resolve: {
          alias: [
            {find: 'node:fs/promises', replacement: join(root, 'e2e/electron/fsPromises.ts')},
            {find: 'node:timers/promises', replacement: join(root, 'e2e/electron/timersPromises.ts')},
            // Node 12.14 does not know this prefix
            {find: /^node:/, replacement: ''},
          ],
        },
        // the addon's loader is an ES module, and a CommonJS bundle has no `import.meta.url`
        define: {'import.meta.url': `require('url').pathToFileURL(${addonLoader}).href`},
      },
    });
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({name: 'interleave', main: 'main.js'}));
  await buildPage({
    configFile: false,
    root: join(root, 'renderer'),
    base: './',
    logLevel: 'error',
    plugins: [
      react(),
      {
        name: 'polyfills',
        enforce: 'pre',
        transform: (code, id) =>
          /renderer.(main|movie.stage)\.tsx$/.test(id)
            ? `import ${JSON.stringify(join(root, 'e2e/electron/pagePolyfills.ts'))};\n${code}`
            : null,
      },
    ],
    build: {
      outDir: join(folder, 'renderer'),
      emptyOutDir: true,
      target: 'chrome83',
      modulePreload: false,
      // the page that encodes movies is left out, because Chromium 83 has no video encoder
      rolldownOptions: {
        input: [join(root, 'renderer/index.html'), join(root, 'renderer/movie/stage.html')],
      },
    },
  });
}
