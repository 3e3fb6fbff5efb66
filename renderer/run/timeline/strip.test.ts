import {expect, test} from 'vitest';
import {PALETTES} from './palette.ts';
import {layOut, stripOf} from './plots.ts';
import {drawn} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';

test('a cross is red for the server’s packets, grey for the browser’s, and smaller without data', () => {
  const model = GOLDEN_MODELS.find(({name}) => name === 'percent-stacked')?.model;
  const plot = model && layOut(model)[0];
  if (model === undefined || plot === undefined) throw new Error('there is no such golden');
  const {y, height} = stripOf(plot, 0);
  const {warning, dim} = PALETTES.light;
  const crosses = drawn(model).lines.filter(({points: [from, to]}) => {
    const isInStrip = (from?.y ?? 0) > y && (from?.y ?? 0) < y + height;
    return isInStrip && Math.abs((to?.x ?? 0) - (from?.x ?? 0)) > 1;
  });
  // a cross has two lines; the server lost two packets with data, the client an acknowledgement
  const sizes = crosses.map(({colour, points: [from, to]}) => [colour, Math.abs((to?.x ?? 0) - (from?.x ?? 0))]);
  const [large, small] = [expect.closeTo(height * 0.6, 0), expect.closeTo(height * 0.36, 0)];
  expect(sizes).toEqual([
    ...[warning, warning, warning, warning].map(colour => [colour, large]),
    ...[dim, dim].map(colour => [colour, small]),
  ]);
});
