import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {normalised} from '../../../app/study/figures/testing/normalised.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {modelSvg} from './timelineSvg.ts';

// Every view as a picture, in `goldens/`: to look at in a browser, and to read in a diff.
// `npx vitest run renderer/run/timeline/goldens -u` draws them anew.

/** The goldens that exist before the test writes any. A new one fails once. */
const found = readdirSync(`${import.meta.dirname}/goldens`).filter(name => name.endsWith('.svg'));

test.each(GOLDEN_MODELS)('$name is drawn as its golden', async ({name, model}) => {
  const svg = normalised(modelSvg(model, 580e6));
  await expect(svg).toMatchFileSnapshot(`goldens/${name}.svg`);
});

test('every golden is of a picture that is drawn', () => {
  expect(found.sort()).toEqual(GOLDEN_MODELS.map(({name}) => `${name}.svg`).sort());
});
