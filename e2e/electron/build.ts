import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import react from '@vitejs/plugin-react';
import {build as bundle} from 'esbuild';
import {build as buildPage} from 'vite';

/** Builds the product's own sources for Electron 9 (Node 12.14, Chromium 83) into `folder`. */
export async function buildSmoke(root: string, folder: string): Promise<void> {
  mkdirSync(folder, {recursive: true});
  await bundle({
    entryPoints: {
      main: join(root, 'e2e/electron/entry.ts'),
      preload: join(root, 'main/preload.ts'),
      engineWorker: join(root, 'e2e/electron/engineWorker.ts'),
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node12.14',
    format: 'cjs',
    external: ['electron', 'sharp'],
    alias: {'node:fs/promises': join(root, 'e2e/electron/fsPromises.ts')},
    logLevel: 'error',
    // the addon's loader is a module; its path is known here
    define: {'import.meta.url': JSON.stringify(`file://${join(root, 'native/addon/index.js')}`)},
  });
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
          /renderer.(main|movie.stage)\.tsx$/.test(id) ? `import 'core-js/stable';\n${code}` : null,
      },
    ],
    build: {
      outDir: join(folder, 'renderer'),
      emptyOutDir: true,
      target: 'chrome83',
      modulePreload: false,
      // without the movies' encoder: Chromium 83 has none
      rolldownOptions: {input: [join(root, 'renderer/index.html'), join(root, 'renderer/movie/stage.html')]},
    },
  });
}
