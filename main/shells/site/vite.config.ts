import {join} from 'node:path';
import react from '@vitejs/plugin-react';
import {defineConfig, type HtmlTagDescriptor, type Plugin} from 'vite';
import {REPLACED} from './replacedModules.ts';
import {SITE_POLICY} from './sitePolicy.ts';

const root = join(import.meta.dirname, '../../..');
const platform = join(import.meta.dirname, 'platform');
const STAGE = join(root, 'renderer/movie/stage.html');

/** Replaces the modules that need Node. The build fails if any other module of Node is imported. */
function replaced(): Plugin {
  return {
    name: 'replaced-modules',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      const builtin = REPLACED.find(([module]) => module === id);
      if (builtin !== undefined) return join(platform, `${builtin[1]}.ts`);
      if (id.startsWith('node:')) throw new Error(`the web edition cannot import ${id} (${importer})`);
      if (!id.startsWith('.') || importer?.startsWith(platform)) return null;
      const resolved = await this.resolve(id, importer, {...options, skipSelf: true});
      const own = REPLACED.find(([module]) => resolved?.id === join(root, module));
      return own === undefined ? resolved : join(platform, `${own[1]}.ts`);
    },
  };
}

/**
 * Adds two elements to the head of each page: the Content Security Policy, and the first script, which makes the host.
 * The host is the object that answers the calls of the window (app/host/contract.ts). A stage, which is a page that
 * paints the pictures of movies, is in an iframe and uses the host of the window around it. All other pages also get
 * the elements of {@link LATE}.
 */
const sitePages: Plugin = {
  name: 'site-pages',
  transformIndexHtml: {
    order: 'pre',
    handler: (_, {filename}) => [
      {
        tag: 'meta',
        attrs: {'http-equiv': 'Content-Security-Policy', content: SITE_POLICY},
        injectTo: 'head-prepend',
      },
      ...(filename === STAGE ? [] : LATE),
      {
        tag: 'script',
        attrs: {type: 'module', src: `/@fs${join(import.meta.dirname, filename === STAGE ? 'stage.ts' : 'page.ts')}`},
        injectTo: 'head',
      },
    ],
  },
};

/** The text that a page shows if its scripts have not run after ten seconds, for example in an old browser. */
const LATE: readonly HtmlTagDescriptor[] = [
  {
    tag: 'style',
    children: `
      #late { margin: 1em; opacity: 0; animation: late 0s 10s forwards; font-family: system-ui, sans-serif; }
      :root:has(#window > *) #late { display: none; }
      @keyframes late { to { opacity: 1; } }`,
    injectTo: 'head',
  },
  {
    tag: 'p',
    attrs: {id: 'late'},
    children:
      'This page is still loading. If nothing appears, use a current Chrome, Edge, Firefox or Safari, and open the ' +
      'page from a web server: browsers run none of its scripts from a file.',
    injectTo: 'body',
  },
];

/** Turns off the report of how long plugins take, because nobody who builds the site needs it. */
const QUIET = {pluginTimings: false};

/** Builds the web edition's pages and workers. main/setup/site.mjs adds the other files. */
export default defineConfig({
  root: join(root, 'renderer'),
  base: './',
  define: {
    INTERLEAVE_VERSION: process.env['INTERLEAVE_SITE_VERSION'] ?? '""',
    INTERLEAVE_PAGES: process.env['INTERLEAVE_SITE_PAGES'] ?? '[]',
  },
  plugins: [replaced(), react(), sitePages],
  worker: {
    format: 'es',
    plugins: () => [replaced()],
    rolldownOptions: {output: {codeSplitting: false}, checks: QUIET},
  },
  build: {
    emptyOutDir: true,
    // the window's own module is one chunk, because all of it is needed for the first run
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      checks: QUIET,
      input: {
        index: join(root, 'renderer/index.html'),
        embed: join(root, 'renderer/embed/index.html'),
        stage: STAGE,
        sw: join(import.meta.dirname, 'serviceWorker.ts'),
      },
      output: {entryFileNames: ({name}) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js')},
    },
    target: ['chrome130', 'firefox128', 'safari18'],
    modulePreload: {polyfill: false},
    // the policy allows no addresses that contain data, except for pictures and fonts
    assetsInlineLimit: 0,
  },
});
