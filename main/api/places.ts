import {fileURLToPath} from 'node:url';

/** The folder of the built-in pages. This path is also right in the bundle, which is in a folder at the same depth. */
export const FIXTURES = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));

/** The bundle of `drawSvg.ts`, which loads jsdom. As that takes long, it is loaded only when a figure is drawn. */
export const DRAW_SVG = new URL('./drawSvg.mjs', import.meta.url);
