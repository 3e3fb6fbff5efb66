import {describe, expect, test} from 'vitest';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {bestFit, furthestReadEnd, type PageLayout, scrollTop} from './pageFit.ts';

describe('a page', () => {
  const square: PageLayout = {width: 800, height: 770, filledWidth: 800};
  const wide: PageLayout = {width: 1000, height: 530, filledWidth: 1000};

  test('gets the layout that is largest in its pane', () => {
    expect(bestFit([square, wide], {width: 940, height: 560})).toMatchObject({layout: wide, scale: 0.94});
    expect(bestFit([square, wide], {width: 400, height: 400}).layout).toBe(square);
  });

  test('gets the narrowest window if a wider one would only add margins', () => {
    const column = (width: number): PageLayout => ({width, height: 3000, filledWidth: 760});
    expect(bestFit([column(800), column(1600)], {width: 900, height: 600}).layout.width).toBe(800);
  });

  test('is scaled by at least 0.1 and at most 3', () => {
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

  test('is shown completely if its text is then large enough to read', () => {
    const fit = bestFit([ribbon], {width: 4000, height: 4000});
    expect(fit).toEqual({layout: ribbon, scale: 0.5, shownHeight: 8000});
    expect(scrollTop(fit, 5000)).toBe(0);
  });
});

describe('a page that must fill 75 % of the width', () => {
  const gallery: readonly PageLayout[] = [
    {width: 800, height: 770, filledWidth: 800},
    {width: 1280, height: 620, filledWidth: 1280},
    {width: 1600, height: 750, filledWidth: 1600},
  ];
  const shareOf = ({layout, scale}: ReturnType<typeof bestFit>, width: number) => (layout.filledWidth * scale) / width;

  test('is as large as possible if that is wide enough', () => {
    expect(bestFit(gallery, {width: 600, height: 400}, 0.75)).toEqual(bestFit(gallery, {width: 600, height: 400}));
  });

  test('gets a wider window in a low room', () => {
    const room = {width: 600, height: 230};
    const square = gallery.slice(0, 1);
    expect(bestFit([...square, {width: 1000, height: 500, filledWidth: 1000}], room, 0.75).layout.width).toBe(1000);
  });

  test('gets the window that shows most, and is scrolled, if no window is wide enough', () => {
    const room = {width: 600, height: 150};
    const fit = bestFit(gallery, room, 0.75);
    expect(shareOf(fit, room.width)).toBeCloseTo(0.75);
    expect(fit.shownHeight).toBeLessThan(fit.layout.height);
    expect(fit.layout.width).toBe(1600);
  });

  test('fills 75 % of the width in every room, and is not higher than the room', () => {
    for (let width = 300; width <= 2000; width += 100) {
      for (let height = 80; height <= 1000; height += 40) {
        const fit = bestFit(gallery, {width, height}, 0.75);
        expect(shareOf(fit, width), `${width} × ${height}`).toBeGreaterThanOrEqual(0.7499);
        expect(fit.shownHeight * fit.scale, `${width} × ${height}`).toBeLessThanOrEqual(height + 0.001);
      }
    }
  });

  test('is enlarged by a factor of at most 3 to fill the width', () => {
    expect(bestFit([{width: 20, height: 20, filledWidth: 20}], {width: 900, height: 900}, 0.75).scale).toBe(3);
  });
});

describe('the part of a page that a low window shows', () => {
  const layout: PageLayout = {width: 800, height: 1000, filledWidth: 800, ends: [{object: 1, y: 300}]};
  /** Two runs whose HTML arrives at 20 ms. The picture is complete at 70 ms in one, and at 100 ms in the other. */
  const [sooner, later] = [0, 30].map(delayMs => {
    const data = smallTrace();
    const [html, picture] = data.objects;
    if (html === undefined || picture === undefined) throw new Error('the trace has two objects');
    return new Trace({...data, objects: [html, {...picture, completeNs: (70 + delayMs) * 1e6}]});
  });
  const endAt = (ms: number, ...traces: readonly (Trace | undefined)[]) =>
    furthestReadEnd(
      layout,
      traces.flatMap(trace => trace ?? []),
      ms * 1e6,
    );

  test('ends where the HTML ends, at the first incomplete picture, or with the page', () => {
    expect(endAt(10, sooner)).toBe(0);
    expect(endAt(60, sooner)).toBe(300);
    expect(endAt(70, sooner)).toBe(1000);
  });

  test('is that of the pane that has come furthest', () => {
    expect(endAt(80, later)).toBe(300);
    expect(endAt(80, sooner, later)).toBe(1000);
    expect(endAt(80, later, sooner)).toBe(1000);
  });
});
