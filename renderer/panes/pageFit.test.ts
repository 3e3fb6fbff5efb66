import {describe, expect, test} from 'vitest';
import {bestFit, type PageLayout} from './pageFit.ts';

describe('a page is laid out', () => {
  const square: PageLayout = {width: 800, height: 770, filledWidth: 800};
  const wide: PageLayout = {width: 1000, height: 530, filledWidth: 1000};

  test('as a window of its pane’s shape would', () => {
    expect(bestFit([square, wide], {width: 940, height: 560})).toEqual({layout: wide, scale: 0.94});
    expect(bestFit([square, wide], {width: 400, height: 400}).layout).toBe(square);
  });

  test('no wider than it fills', () => {
    const column = (width: number): PageLayout => ({width, height: 3000, filledWidth: 760});
    expect(bestFit([column(800), column(1600)], {width: 900, height: 600}).layout.width).toBe(800);
  });

  test('within bounds, whatever the pane is', () => {
    expect(bestFit([square], {width: 0, height: 0}).scale).toBe(0.1);
    expect(bestFit([square], {width: 9000, height: 9000}).scale).toBe(3);
  });
});
