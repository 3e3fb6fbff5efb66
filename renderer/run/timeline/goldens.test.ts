import {readdirSync} from 'node:fs';
import {expect, test} from 'vitest';
import {normalised} from '../../../app/study/figures/testing/normalised.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {modelSvg} from './timelineSvg.ts';

// Pictures of every view, in `goldens/`. They can be looked at in a browser and read in a diff. `npx vitest run
// renderer/run/timeline/goldens -u` writes them again.

/** The goldens that exist before the test writes any, so that a new golden fails once. */
const found = readdirSync(`${import.meta.dirname}/goldens`).filter(name => name.endsWith('.svg'));

test.each(GOLDEN_MODELS)('$name equals its golden', async ({name, model}) => {
  const svg = normalised(modelSvg(model, 580e6));
  await expect(svg).toMatchFileSnapshot(`goldens/${name}.svg`);
});

test('there is one golden for each model, and no other', () => {
  expect(found.sort()).toEqual(GOLDEN_MODELS.map(({name}) => `${name}.svg`).sort());
});
