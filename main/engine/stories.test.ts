import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {effectsOf} from '../../app/run/cause/effect.ts';
import {heldAt} from '../../app/run/cause/held.ts';
import {measure, type PaneMetrics} from '../../app/run/metrics/metrics.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {queuesOf} from '../../app/run/trace/queue.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {durationOf, stepProblem} from '../../app/telling/story/stepTimes.ts';
import {readStory, STORY_NAMES, STORY_SECONDS, type Story, type StoryName} from '../../app/telling/story/story.ts';
import {plainText} from '../../app/telling/story/storyNumbers.ts';
import {runDocument} from '../workers/testing/runs.ts';

// These tests check the stories that are included in the program. Every number in a step's text is computed here from
// the step's run.

/** The run of a story's step. Its methods return the numbers as the step's text has them. Panes count from 0. */
class StepRun {
  readonly scenario: Scenario;
  readonly traces: readonly Trace[];
  readonly metrics: readonly PaneMetrics[];

  constructor(scenario: Scenario) {
    this.scenario = scenario;
    this.traces = runDocument(scenarioDocument(scenario)).panes.map(data => new Trace(data));
    this.metrics = this.traces.map(trace => measure(trace.data, trace));
  }

  get endNs(): number {
    return Math.max(...this.traces.map(({data}) => data.endNs));
  }

  /** Page time, in s. */
  done(pane: number, digits = 1): string {
    return ((this.#trace(pane).data.endNs ?? 0) / 1e9).toFixed(digits);
  }

  /** First Contentful Paint, in s. */
  firstPaint(pane: number): string {
    return ((this.#metrics(pane).fcpMs ?? Number.NaN) / 1000).toFixed(1);
  }

  /** When a file was complete, in s. */
  whole(pane: number, file: string): string {
    const found = this.#metrics(pane).objects.find(({url}) => url.endsWith(`/${file}`));
    return ((found?.completeMs ?? Number.NaN) / 1000).toFixed(1);
  }

  /** How many objects whose URL matches `url` were never requested. */
  neverRequested(pane: number, url: RegExp): string {
    const {objects} = this.#metrics(pane);
    return String(objects.filter(each => url.test(each.url) && each.requestMs === null).length);
  }

  /** Time from the first dropped packet until its data arrived, in s. */
  heldUp(pane: number): string {
    const trace = this.#trace(pane);
    const {fateNs} = trace.data.packets;
    const {chunks} = trace.data;
    const lost = trace.droppedPackets()[0] ?? -1;
    const first = chunks.first[chunks.packet.indexOf(lost)];
    const copies = [...chunks.packet].filter((packet, row) => packet > lost && chunks.first[row] === first);
    return ((Math.min(...copies.map(packet => fateNs[packet] ?? 0)) - (fateNs[lost] ?? 0)) / 1e9).toFixed(1);
  }

  /** How long any data waited for lost data, in s. */
  waited(pane: number): string {
    return (this.#metrics(pane).holBlockedMs / 1000).toFixed(1);
  }

  /** How much data waited for lost data, in KB. */
  waitedKb(pane: number, digits: number): string {
    return (this.#metrics(pane).holBlockedBytes / 1000).toFixed(digits);
  }

  /** The longest time without a change on the page, in s. */
  silent(pane: number): string {
    return ((this.#metrics(pane).silentMs ?? 0) / 1000).toFixed(1);
  }

  /** The time at which the k-th dropped packet was dropped, in s. k counts from 0. */
  droppedAt(pane: number, k = 0): string {
    const trace = this.#trace(pane);
    return ((trace.data.packets.fateNs[trace.droppedPackets()[k] ?? -1] ?? 0) / 1e9).toFixed(1);
  }

  /** The number of the dropped packet among the server's packets with data, counted from 0: `data packet 40`. */
  get droppedNumber(): string {
    const {loss} = this.scenario.path;
    return loss.down.model === 'list' ? String(loss.down.packets[0]) : 'random';
  }

  /** How many photos (JPEG) have at least `percent` of their bytes at `tS` seconds. */
  photos(pane: number, tS: number, percent: number): string {
    const trace = this.#trace(pane);
    const there = trace.objects.filter(
      ({url}, object) => url.endsWith('.jpg') && trace.percentAt(object, tS * 1e9) >= percent,
    );
    return String(there.length);
  }

  /** The smallest share of bytes that any photo has at `tS` seconds, in percent. */
  leastPercent(pane: number, tS: number): number {
    const trace = this.#trace(pane);
    const percents = trace.objects.flatMap(({url}, object) =>
      url.endsWith('.jpg') ? [trace.percentAt(object, tS * 1e9)] : [],
    );
    return Math.min(...percents);
  }

  /** The URLs of objects with data that waited for lost data. */
  waiting(pane: number): readonly string[] {
    const trace = this.#trace(pane);
    return trace.objects.flatMap(({url}, object) => (trace.blockedOf(object).length > 0 ? [url] : []));
  }

  /** How much data has arrived and waits at `tS` seconds, in KB, and to how many objects it belongs. */
  waitingAt(pane: number, tS: number): readonly [kilobytes: string, objects: string] {
    const {bytes, objects} = heldAt(this.#trace(pane), tS * 1e9);
    return [(bytes / 1000).toFixed(0), String(objects.length)];
  }

  /** The greatest number of objects that one loss stopped, or 'the whole page' if a loss stopped all. */
  mostStopped(panes: readonly number[]): string {
    const effects = panes.flatMap(pane => effectsOf(this.#trace(pane)));
    if (effects.some(({pageStillNs}) => pageStillNs !== null)) return 'the whole page';
    return String(Math.max(...effects.map(({stopped}) => stopped.length)));
  }

  get lossPercent(): string {
    const {down} = this.scenario.path.loss;
    return down.model === 'bernoulli' ? String(Number((down.rate * 100).toPrecision(6))) : 'bursts';
  }

  get rttMs(): string {
    return String(this.scenario.path.rttMs.down);
  }

  get mbps(): string {
    return String(this.scenario.path.rateBps.down / 1e6);
  }

  get mbpsUp(): string {
    return String(this.scenario.path.rateBps.up / 1e6);
  }

  /** The capacity of the upstream queue, in KB. */
  get bufferKbUp(): string {
    const queue = this.scenario.path.queue?.up;
    return queue?.bytes === undefined ? 'no limit in bytes' : String(queue.bytes / 1000);
  }

  /** The longest time that any packet waited in the upstream queue, in s. */
  longestWaitUp(pane: number): string {
    return (Math.max(0, ...(queuesOf(this.#trace(pane))?.up.waitNs.filter(Number.isFinite) ?? [])) / 1e9).toFixed(1);
  }

  allDone(digits: number): readonly string[] {
    return this.traces.map((_, pane) => this.done(pane, digits));
  }

  roundTrips(pane: number): string {
    return (Number(this.#trace(pane).data.endNs) / 1e6 / this.scenario.path.rttMs.down).toFixed(0);
  }

  /** The time at which the first GET was sent, in s. */
  asks(pane: number): string {
    return ((this.#metrics(pane).objects[0]?.requestMs ?? 0) / 1000).toFixed(1);
  }

  /** When the last GET was sent, in s. */
  asksLast(pane: number): string {
    return Math.max(...this.#trace(pane).objects.map(({requestNs}) => (requestNs ?? 0) / 1e9)).toFixed(1);
  }

  /** How long one loss stopped the whole page, in s. */
  pageStill(pane: number): string {
    return (Math.max(...effectsOf(this.#trace(pane)).map(({pageStillNs}) => pageStillNs ?? 0)) / 1e9).toFixed(1);
  }

  /** The server's first congestion window, in whole packets of the path's MTU. */
  firstWindow(pane: number): string {
    const headers = 28;
    return String(Math.floor(this.#windowAt(pane, 0) / (this.scenario.path.mtuBytes - headers)));
  }

  /** The server's congestion window at `tNs`, in bytes. If it was sampled only later, the first sample. */
  #windowAt(pane: number, tNs: number): number {
    const {samples, connections} = this.#trace(pane).data;
    const own = [...samples.endpoint.keys()].filter(row => samples.endpoint[row] === connections[0]?.server);
    const row = own.findLast(row => (samples.atNs[row] ?? 0) <= tNs) ?? own[0];
    return samples.cwndBytes[row ?? -1] ?? 0;
  }

  /** Time to send all bytes of the page at the path's rate, in ms. */
  get bareMs(): string {
    const bytes = this.metrics[0]?.objects.reduce((sum, object) => sum + object.bytes, 0) ?? 0;
    return Math.ceil((bytes * 8e3) / this.scenario.path.rateBps.down).toFixed(0);
  }

  streams(pane: number): string {
    const settings = this.scenario.panes[pane];
    return settings?.pipeline === 'sctp' ? String(settings.streams) : 'none';
  }

  #trace(pane: number): Trace {
    const trace = this.traces[pane];
    if (trace === undefined) throw new RangeError(`no pane ${pane}`);
    return trace;
  }

  #metrics(pane: number): PaneMetrics {
    const metrics = this.metrics[pane];
    if (metrics === undefined) throw new RangeError(`no pane ${pane}`);
    return metrics;
  }
}

function waitedWithStreams(run: StepRun): readonly string[] {
  return [0, 1].flatMap(pane => [run.streams(pane), run.waitedKb(pane, 1)]);
}

/** Returns a number that must be the same for both panes. */
function ofBoth(numberOf: (pane: number) => string): string {
  const [first, second] = [numberOf(0), numberOf(1)];
  expect(second).toBe(first);
  return first;
}

/** The numbers in each step's text, in order. Steps without an entry have no numbers. */
const NUMBERS: {readonly [N in StoryName]: {readonly [step: number]: (run: StepRun) => readonly string[]}} = {
  'six-transports': {
    1: run => [run.droppedNumber],
    3: run => run.waitingAt(0, 2.95),
    4: run => [run.waitingAt(2, 3.04)[1]],
    6: run => [run.waitingAt(3, 3.16)[1]],
    7: run => [run.mostStopped([1, 3, 4, 5])],
  },
  'one-lost-packet': {
    2: run => [run.done(0), run.done(1)],
    3: run => [run.droppedNumber, run.droppedAt(0), run.droppedAt(1)],
    4: run => [run.silent(0)],
    5: run => [String(run.waiting(0).length), run.waitedKb(0, 0)],
    6: run => [run.heldUp(1)],
    8: run => [run.lossPercent, '12.5', run.photos(1, 12.5, 0.1), run.photos(0, 12.5, 0.1)],
    9: run => [run.done(0), run.done(1)],
    10: run => [run.mostStopped([1, 3, 4, 5])],
  },
  'three-versions-of-http': {
    1: run => [run.rttMs, run.asks(0), run.asks(2)],
    2: run => [run.asksLast(0), run.asksLast(1)],
    3: run => [run.done(0), run.done(1), run.done(2)],
    4: run => [run.droppedNumber, run.pageStill(1)],
    5: run => [String(run.waiting(2).length), run.done(2)],
    6: run => ['2007', (Number(run.done(1, 3)) - Number(run.done(2, 3))).toFixed(1), run.done(2)],
    7: run => [run.asks(2), run.asksLast(2), run.asksLast(1)],
    8: run => [run.firstWindow(2)],
    10: run => [run.done(2)],
  },
  'how-many-streams': {
    1: run => [run.streams(1)],
    2: run => [run.waited(0), run.waited(1), run.streams(1)],
    3: waitedWithStreams,
    4: waitedWithStreams,
    5: run => [run.streams(1), run.streams(0), run.lossPercent, run.streams(0)],
    6: run => ['12', run.streams(0), run.photos(0, 12, 100), run.streams(1)],
    7: run => [run.done(0)],
  },
  'progressive-or-baseline': {
    2: run => ['10', run.photos(1, 10, 0.1)],
    4: run => ['10', run.photos(1, 10, 0.1)],
    6: run => [run.lossPercent, '17', '25'],
    7: () => ['25'],
    8: run => [run.done(1), '28.9'],
  },
  satellite: {
    1: run => [run.mbps, run.rttMs, ofBoth(pane => run.asks(pane))],
    2: run => [ofBoth(pane => run.done(pane)), ofBoth(pane => run.roundTrips(pane)), run.bareMs],
    3: run => [ofBoth(pane => run.done(pane))],
    4: run => [run.rttMs, ofBoth(pane => run.done(pane, 2))],
    5: run => [run.waitedKb(0, 0), run.waited(0)],
    6: run => [run.waitedKb(1, 1)],
    7: run => [run.lossPercent, run.done(0), run.done(1)],
    8: run => [run.mbps, run.lossPercent, '8', run.photos(1, 8, 0.1), run.photos(0, 8, 0.1)],
    9: run => [run.done(0), run.done(1)],
  },
  'what-your-browser-does': {
    2: run => [run.firstPaint(1), run.firstPaint(0)],
    3: run => [run.whole(1, 'hero.jpg'), run.whole(0, 'hero.jpg')],
    4: run => [run.neverRequested(1, /sight/), run.done(1), run.done(0)],
    5: run => [run.firstPaint(1)],
    6: run => [run.firstPaint(0), run.whole(0, 'hero.jpg'), run.done(0)],
  },
  'six-congestion-controls': {
    2: run => [run.mbps, run.rttMs, run.done(1), run.done(2)],
    3: run => [run.lossPercent],
    6: run => [run.done(0), run.done(1), run.done(2)],
    7: run => [run.done(3), run.done(4), run.done(5)],
  },
  upload: {
    1: run => [run.mbps, run.mbpsUp, ...run.allDone(2)],
    2: run => run.allDone(2),
    3: run => [run.bufferKbUp, run.longestWaitUp(2)],
    4: run => [run.bufferKbUp, ...run.allDone(1)],
    5: run => [run.bufferKbUp, ...run.allDone(2)],
    6: run => run.allDone(2),
    7: run => run.allDone(2),
  },
};

describe.each(STORY_NAMES)('%s', name => {
  const story = storyOf(name);
  const runs = new Map(story.steps.map(({scenario}) => [scenario, new StepRun(scenario)]));
  const runOfStep = (k: number): StepRun => {
    const run = story.steps[k - 1] && runs.get(story.steps[k - 1]?.scenario as Scenario);
    if (run === undefined) throw new RangeError(`no step ${k}`);
    return run;
  };

  test.each(story.steps.map(({text}, k) => [k + 1, text] as const))('step %i has right numbers: %s', (k, text) => {
    const withoutVersions = text.replaceAll(/HTTP\/[\d.]+(?: and 2)?/g, 'HTTP');
    expect(withoutVersions.match(/\d+(?:\.\d+)?/g) ?? []).toEqual(NUMBERS[name][k]?.(runOfStep(k)) ?? []);
    expect(plainText({text, scenario: runOfStep(k).scenario}).length).toBeLessThanOrEqual(96);
  });

  test('names packets by their numbers, which count from 0, and not by ordinals, which count from 1', () => {
    expect(story.steps.map(({text}) => text).filter(text => /\d(st|nd|rd|th)\b/.test(text))).toEqual([]);
  });

  test('has a valid time and valid objects in each step', () => {
    for (const [k, step] of story.steps.entries()) {
      const run = runOfStep(k + 1);
      const urls = (run.traces[0]?.objects ?? []).map(({url}) => url);
      const losses = run.traces.map(trace => trace.droppedPackets().length);
      expect(stepProblem(story, k, {endNs: run.endNs, urls, losses}), `step ${k + 1} of ${step.text}`).toBe(null);
    }
  });

  test('lasts 40 to 150 s, has the duration that the dialog shows, and has 6 to 12 steps', () => {
    const seconds = durationOf(
      story,
      story.steps.map((_, k) => runOfStep(k + 1).endNs),
    );
    expect(seconds).toBeGreaterThan(40);
    expect(seconds).toBeLessThan(150);
    expect(STORY_SECONDS[name]).toBe(Math.round(seconds));
    expect(story.steps.length).toBeGreaterThanOrEqual(6);
    expect(story.steps.length).toBeLessThanOrEqual(12);
  });

  if (name === 'six-transports') {
    /** The objects that wait in each pane at the end of a step. */
    const waitingAfter = (k: number) => {
      const {traces} = runOfStep(k);
      const untilNs = (story.steps[k - 1]?.toS ?? 0) * 1e9;
      return traces.map(trace => heldAt(trace, untilNs).objects.map(({object}) => trace.objects[object]?.url));
    };
    test('at the end of a step, exactly the objects that its text names wait', () => {
      expect(waitingAfter(2)[1]).toEqual(['/aurora.jpg']);
      expect(waitingAfter(3)[1]).toEqual([]);
      expect(waitingAfter(4)[2]).toHaveLength(10);
      expect(waitingAfter(5)[0]).toEqual([]);
      expect(waitingAfter(5)[2]).toEqual([]);
      expect(waitingAfter(6).map(urls => urls.length)).toEqual([0, 0, 0, 1, 1, 0]);
    });
  }
  if (name === 'one-lost-packet') {
    test('of six transports only those that deliver all data in a single order stop the whole page', () => {
      const still = runOfStep(10).traces.map(trace => effectsOf(trace).map(({pageStillNs}) => pageStillNs !== null));
      expect(still).toEqual([[true], [false], [true], [false], [false], [false]]);
    });
    test('over streams only one picture waited', () => {
      expect(runOfStep(6).waiting(1)).toEqual(['/city.jpg']);
    });
  }
  if (name === 'three-versions-of-http') {
    const ends = (k: number) => [0, 1, 2].map(pane => Number(runOfStep(k).done(pane, 3)));
    test('HTTP/3 is first, by a round trip except on stacks of 2007 with a browser that waits for all the HTML', () => {
      for (const k of [3, 5, 6, 10]) expect(Math.min(...ends(k)), `step ${k}`).toBe(ends(k)[2]);
      const lead = (k: number) => (ends(k)[1] ?? 0) - (ends(k)[2] ?? 0);
      expect(lead(6)).toBeLessThan(0.25);
      expect(Math.min(lead(3), lead(10))).toBeGreaterThan(1);
      // the notes have these numbers
      expect([0, 1].map(pane => runOfStep(6).done(pane))).toEqual(['9.3', '9.2']);
      expect([0, 1].map(pane => runOfStep(10).done(pane))).toEqual(['9.3', '9.2']);
    });
    test('HTTP/2 stops the whole page, and HTTP/3 shows the page as early as without the loss', () => {
      expect(effectsOf(runOfStep(5).traces[2] as Trace).map(({pageStillNs}) => pageStillNs)).toEqual([null]);
      expect(runOfStep(4).waiting(1)).toHaveLength(10);
      expect((ends(5)[2] ?? 0) - (ends(3)[2] ?? 0)).toBeLessThan(0.05);
    });
    test('on the stacks of 2007 HTTP/3 sends the end of the HTML a round trip after its beginning', () => {
      const rttMs = Number(runOfStep(8).rttMs);
      const sentHtmlNs = (pane: number) => {
        const {chunks, chunkPieces, packets} = (runOfStep(8).traces[pane] as Trace).data;
        const rows = [...chunkPieces.row.keys()].filter(row => chunkPieces.object[row] === 0);
        const sent = rows
          .map(row => chunks.packet[chunkPieces.row[row] ?? -1] ?? -1)
          .filter(packet => packets.direction[packet] === DIRECTION.down)
          .map(packet => packets.sentNs[packet] ?? 0);
        return [Math.min(...sent), Math.max(...sent)] as const;
      };
      const sentAfterMs = (pane: number) => (sentHtmlNs(pane)[1] - sentHtmlNs(pane)[0]) / 1e6;
      expect(sentAfterMs(2)).toBeGreaterThan(0.9 * rttMs);
      expect(sentAfterMs(1)).toBeLessThan(0.1 * rttMs);
      // the handshake of QUIC is still in flight just before, and that of TLS over TCP is not
      const flightBefore = (pane: number) => {
        const {samples, connections} = (runOfStep(8).traces[pane] as Trace).data;
        const [fromNs] = sentHtmlNs(pane);
        const rows = [...samples.endpoint.keys()].filter(row => {
          const atNs = samples.atNs[row] ?? 0;
          return samples.endpoint[row] === connections[0]?.server && atNs <= fromNs && atNs > fromNs - 5e6;
        });
        return Math.min(...rows.map(row => samples.flightBytes[row] ?? 0));
      };
      expect(flightBefore(2)).toBeGreaterThan(0);
      expect(flightBefore(1)).toBe(0);
    });
    test('without loss, HTTP/3 is first with each of ten seeds', () => {
      for (const k of [3, 6])
        for (let seed = 1; seed <= 10; seed++) {
          const {panes} = runDocument({...scenarioDocument(runOfStep(k).scenario), seed});
          expect(Math.min(...panes.map(({endNs}) => endNs)), `step ${k}, seed ${seed}`).toBe(panes[2]?.endNs);
        }
    });
  }
  if (name === 'how-many-streams') {
    test('with eleven streams one photo waited, and with four streams two photos', () => {
      expect([0, 1].map(pane => runOfStep(4).waiting(pane))).toEqual([['/dunes.jpg', '/flower.jpg'], ['/city.jpg']]);
    });
    test('more streams than pictures change nothing', () => {
      const [eleven, twice] = runOfStep(5).traces;
      expect(twice?.data.packets.fateNs).toEqual(eleven?.data.packets.fateNs);
      expect(twice?.data.packets.bytes).toEqual(eleven?.data.packets.bytes);
    });
    test('both panes take the same time, and with eleven streams no photo is complete at 12 s', () => {
      expect(runOfStep(7).done(1)).toBe(runOfStep(7).done(0));
      expect(runOfStep(6).photos(1, 12, 100)).toBe('0');
    });
  }
  if (name === 'progressive-or-baseline') {
    test('each photo has at least 25 % at 17 s in both encodings', () => {
      expect([6, 7].map(k => runOfStep(k).leastPercent(1, 17) >= 25)).toEqual([true, true]);
      expect(runOfStep(6).done(1)).toBe('28.9');
    });
    test('the sizes of the encodings differ by less than 1 %', () => {
      const [baseline, progressive] = [runOfStep(1), runOfStep(3)].map(({metrics}) =>
        (metrics[0]?.objects ?? []).reduce((sum, {bytes}) => sum + bytes, 0),
      );
      expect(Math.abs(Number(baseline) / Number(progressive) - 1)).toBeLessThan(0.01);
    });
  }
  if (name === 'upload') {
    test('the way down is the same in each step, and the file goes up at nearly the whole rate with FQ-CoDel', () => {
      const down = story.steps.map(({scenario}) =>
        JSON.stringify([scenario.path.rateBps.down, scenario.path.queue?.down]),
      );
      expect(new Set(down).size).toBe(1);
      const {flows, packets} = runOfStep(7).traces[0]?.data.traffic ?? {};
      expect(flows).toHaveLength(1);
      const rows = [...(packets?.bytes.keys() ?? [])].filter(
        row =>
          packets?.fate[row] === FATE.delivered &&
          (packets.leftNs[row] ?? 0) > -10e9 &&
          (packets.leftNs[row] ?? 0) <= 0,
      );
      const bytes = rows.reduce((sum, row) => sum + (packets?.bytes[row] ?? 0), 0);
      expect((bytes * 8) / 10).toBeGreaterThan(0.95e6);
    });
  }
  if (name === 'satellite') {
    test('only one of SCTP’s pictures waited', () => {
      expect(runOfStep(6).waiting(1)).toEqual(['/autumn.jpg']);
    });
  }
});

function storyOf(name: StoryName): Story {
  const file = new URL(`../../fixtures/stories/${name}.story.json`, import.meta.url);
  const read = readStory(readFileSync(file));
  if (!read.ok) throw new Error(`${name}: ${read.problems[0].message}`);
  return read.story;
}
