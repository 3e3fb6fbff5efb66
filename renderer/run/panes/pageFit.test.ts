import {describe, expect, test} from 'vitest';
import {bestFit, type PageLayout, scrollTop} from './pageFit.ts';

describe('a page', () => {
  const square: PageLayout = {width: 800, height: 770, filledWidth: 800};
  const wide: PageLayout = {width: 1000, height: 530, filledWidth: 1000};

  test('is laid out like in a window with the shape of its pane', () => {
    expect(bestFit([square, wide], {width: 940, height: 560})).toMatchObject({layout: wide, scale: 0.94});
    expect(bestFit([square, wide], {width: 400, height: 400}).layout).toBe(square);
  });

  test('is not laid out wider than it fills', () => {
    const column = (width: number): PageLayout => ({width, height: 3000, filledWidth: 760});
    expect(bestFit([column(800), column(1600)], {width: 900, height: 600}).layout.width).toBe(800);
  });

  test('has a scale within the limits in any pane', () => {
    expect(bestFit([square], {width: 0, height: 0}).scale).toBe(0.1);
    expect(bestFit([square], {width: 9000, height: 9000}).scale).toBe(3);
  });
});

describe('a page that is much higher than wide', () => {
  const ribbon: PageLayout = {width: 800, height: 8000, filledWidth: 800};

  test('is as wide as its pane, and is scrolled', () => {
    const fit = bestFit([ribbon], {width: 400, height: 300});
    expect(fit).toEqual({layout: ribbon, scale: 0.5, shownHeight: 600});
    expect([0, 500, 1000, 8000, 9000].map(endY => scrollTop(fit, endY))).toEqual([0, 0, 400, 7400, 7400]);
  });

  test('is shown completely if it is readable that way', () => {
    const fit = bestFit([ribbon], {width: 4000, height: 4000});
    expect(fit).toEqual({layout: ribbon, scale: 0.5, shownHeight: 8000});
    expect(scrollTop(fit, 5000)).toBe(0);
  });
});
