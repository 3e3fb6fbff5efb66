import {describe, expect, test} from 'vitest';
import {drawTimeline} from './drawTimeline.ts';
import {explainedLoss, lossObjects} from './explainedLoss.ts';
import {hitTest} from './hits.ts';
import {scaled, timeScale} from './measures.ts';
import type {TimelineModel} from './model.ts';
import {SvgDrawing} from './svgDrawing.ts';
import {drawn, drawnOfLoss} from './testing/drawn.ts';
import {GOLDEN_MODELS} from './testing/goldenModels.ts';
import {lossText} from './tip.ts';

// With `revealNs`, the picture shows the run up to that time, t. What happens later is neither drawn nor found by the
// pointer.

const MS = 1e6;
const MODELS = GOLDEN_MODELS.filter(({name}) => name.endsWith('-stacked'));
const TIMES = [0, 249, 255, 310, 450, 580, 700, 1000].map(ms => ms * MS);

test.each(MODELS)('$name: at the end of the run, the picture is complete', ({model}) => {
  const {svg, whole} = {svg: svgOf({...model, revealNs: 1020 * MS}), whole: svgOf(model)};
  // the tags of clips are not compared
  expect(marksOf(svg)).toEqual(marksOf(whole));
});

/** The models that explain one loss at a time. */
const EXPLAINING = MODELS.filter(({model}) => model.view.showsLosses !== true);

test.each(EXPLAINING)('$name: at the start no milestone and no change is named', ({model}) => {
  // how full the queues were is known up to t only
  const wordsOf = (part: Partial<TimelineModel>) =>
    drawn({...model, ...part}).texts.map(({text}) => text.replace(/: at most .*/, ''));
  const bare = wordsOf({panes: model.panes.map(withoutTimes), eye: blind(model.eye), changes: []});
  // at the start, the pane's note does not yet mention the Speed Index
  expect(wordsOf({revealNs: 0})).toEqual(bare.map(text => text.replace(' · Speed Index –', '')));
  expect(wordsOf({}).length).toBeGreaterThan(bare.length);
});

test.each(MODELS)('$name: each cross appears at its time, and is not cut off', ({model}) => {
  const x = timeScale(model);
  for (const revealNs of TIMES) {
    const [all, shown] = [drawn(model), drawn({...model, revealNs})];
    const right = x(revealNs);
    // a cross marks a single moment, so its right half may be after t
    const crosses = (picture: ReturnType<typeof drawn>) => picture.lines.filter(isCross);
    expect(crosses(shown)).toEqual(crosses(all).filter(line => middleOf(line) <= right + 0.2));
  }
});

test.each(MODELS)('$name: the pointer finds nothing after t', ({model}) => {
  for (const revealNs of TIMES) {
    const right = timeScale(model)(revealNs);
    const revealed = {...model, revealNs};
    // one `expect` for all points, because each call would take longer than the search itself
    const found: string[] = [];
    for (let x = right + scaled(model, 1) + 0.5; x < 600; x += 7) {
      for (let y = 0; y < model.height; y += 5) {
        if (hitTest(revealed, {x, y}) !== undefined) found.push(`${x} ${y}`);
      }
    }
    expect(found).toEqual([]);
  }
});

test('the effect of a loss is described as far as it is known', () => {
  const trace = MODELS[0]?.model.panes[0]?.trace;
  if (trace === undefined) throw new Error('there is no such golden');
  // lost at 255 ms; a.jpg's data waits from 310, b.png's from 315; all until 550
  const packet = 5;
  expect(lossText(trace, packet)).toMatch(
    /sent again at 0\.50 s, arrived at 0\.55 s\. Meanwhile b\.png had arrived and waited 235 ms;/,
  );
  for (const ms of [300, 410, 549]) {
    expect(lossText(trace, packet, ms * MS)).toBe('Lost at 0.26 s: 33 % of a.jpg; not repaired yet.');
  }
  expect(lossText(trace, packet, 550 * MS)).toBe(lossText(trace, packet));
  expect(lossObjects(trace, packet, 300 * MS)).toEqual([1]);
  expect(lossObjects(trace, packet, 320 * MS)).toEqual([1, 2]);
});

describe.each(EXPLAINING)('$name: an explained loss', ({model}) => {
  const [pane] = model.panes;
  const losses = [5, 8, 10].map(packet => explainedLoss(pane?.trace, packet));

  test('has lines and marks only up to t', () => {
    for (const explained of losses) {
      // at 520 ms, the retransmission is on its way
      for (const revealNs of [...TIMES, 520 * MS]) {
        const right = timeScale(model)(revealNs);
        const {lines, rects} = drawnOfLoss({...model, explained, revealNs});
        // a cross at t extends up to 6 px beyond t
        for (const {points} of lines) for (const {x} of points) expect(x).toBeLessThan(right + 6.5);
        // opaque rectangles are marks; the backgrounds of texts are slightly transparent, and may extend beyond t
        const marks = rects.filter(({opacity}) => opacity === 1);
        for (const {x, width} of marks) expect(x + width / 2).toBeLessThan(right + scaled(model, 3));
        if (revealNs < (explained?.cause.lostNs ?? 0)) expect([...lines, ...rects]).toEqual([]);
      }
    }
  });

  test('of an acknowledgement has an arrowhead when a later acknowledgement has arrived', () => {
    const [, , explained = null] = losses;
    const linesAt = (ms: number) => drawnOfLoss({...model, explained, revealNs: ms * MS}).lines.length;
    // the acknowledgement is lost at 480 ms; the one that covers it arrives at 600
    expect(linesAt(599)).toBeLessThan(linesAt(600));
  });

  test('has words only for what has happened', () => {
    const [explained = null] = losses;
    const wordsAt = (ms: number) => drawnOfLoss({...model, explained, revealNs: ms * MS}).texts.map(({text}) => text);
    // lost at 255 ms; b.png waits from 315; sent again at 500, arrived at 550
    expect(wordsAt(254)).toEqual([]);
    expect(wordsAt(310)).toEqual(['lost']);
    expect(wordsAt(400)).toEqual(['b.png waits', 'lost']);
    expect(wordsAt(549)).not.toContain('there');
    expect(wordsAt(550)).toEqual(drawnOfLoss({...model, explained}).texts.map(({text}) => text));
    expect(wordsAt(550)).toContain('b.png waited 235 ms');
  });
});

test('the objects of an explained loss are highlighted from the loss on', () => {
  const model = MODELS.find(({name}) => name === 'percent-stacked')?.model;
  if (model === undefined) throw new Error('there is no such golden');
  const explained = explainedLoss(model.panes[0]?.trace, 5);
  const faint = (part: Partial<TimelineModel>) => (svgOf({...model, ...part}).match(/opacity="0.15"/g) ?? []).length;
  expect(faint({explained, revealNs: 254 * MS})).toBe(faint({revealNs: 254 * MS}));
  expect(faint({explained, revealNs: 255 * MS})).toBeGreaterThan(faint({revealNs: 255 * MS}));
});

function withoutTimes(pane: TimelineModel['panes'][number]) {
  return {...pane, metrics: {...pane.metrics, pPageMs: {25: null, 50: null, 75: null, 100: null}}};
}

/** The same quality, but nothing of the page is ever visible, so it has no visual milestones. */
function blind(eye: TimelineModel['eye']): TimelineModel['eye'] {
  if (eye === null) return null;
  const objects = eye.quality.objects.map(object => object && {...object, curve: []});
  return {...eye, quality: {...eye.quality, objects}};
}

function svgOf(model: TimelineModel): string {
  const svg = new SvgDrawing(model, '#background');
  drawTimeline(svg, model);
  return svg.file();
}

/** The tags of a drawing, without those of groups and clips. */
function marksOf(svg: string): readonly string[] {
  return svg.split('<').filter(each => !/^(\/?(clipPath|defs|g)|rect[^>]*\/>$)/.test(each));
}

type Line = ReturnType<typeof drawn>['lines'][number];

function isCross({points: [from, to]}: Line): boolean {
  const [across, up] = [(to?.x ?? 0) - (from?.x ?? 0), (to?.y ?? 0) - (from?.y ?? 0)];
  return Math.abs(across) > 1 && Math.abs(Math.abs(across) - Math.abs(up)) < 0.2;
}

function middleOf({points}: Line): number {
  return points.reduce((sum, {x}) => sum + x, 0) / points.length;
}
