import {expect, test} from 'vitest';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../../run/trace/columns.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {captionLine, captionsOf, changeCaptions} from './captions.ts';

const scenario = (document: object): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};

const texts = (trace: Trace) => captionsOf(trace).map(({atNs, text}) => [atNs / 1e6, text]);

test('captions report losses, the start and duration of waits, and the end of the load in order of time', () => {
  expect(texts(new Trace(smallTrace()))).toEqual([
    [10, 'connected'],
    [25, 'packet lost: data of image.jpg'],
    [40, 'image.jpg waits for lost data'],
    [70, 'image.jpg waited 30 ms'],
    [70, 'page complete'],
  ]);
});

test('long names are cut, so that a caption’s line has room for its number and unit', () => {
  const {objects, ...others} = smallTrace();
  const [index, image] = objects;
  if (index === undefined || image === undefined) throw new Error('smallTrace() has two objects');
  const url = `/${'a-very-long-name-'.repeat(5)}.jpg`;
  const trace = new Trace({...others, objects: [index, {...image, url}]});
  const all = texts(trace).map(([, text]) => String(text));
  expect(all).toContain('a-very-long-name-a-very-… waited 30 ms');
  expect(Math.max(...all.map(({length}) => length))).toBeLessThanOrEqual(60);
});

test('a load without set-up has no caption ‘connected’, and a wait without a loss is for earlier data', () => {
  const {packets, ...others} = smallTrace();
  const calm = {...others, packets: {...packets, fate: packets.fate.with(3, 1)}, setupNs: 0};
  expect(texts(new Trace(calm))).toEqual([
    [40, 'image.jpg waits for earlier data'],
    [70, 'image.jpg waited 30 ms'],
    [70, 'page complete'],
  ]);
});

test('captions say when all pictures are recognisable and good, and ‘good’ comes last if both happen at once', () => {
  const trace = new Trace(smallTrace());
  const shown = (recognisable: number, good: number) =>
    captionsOf(trace, {quality: smallQuality(), thresholds: {recognisable, good}})
      .filter(({text}) => /picture/.test(text))
      .map(({atNs, text}) => [atNs / 1e6, text]);
  // the quality is 0.6 from 30 ms on, with 100 bytes, and 1 from 70 ms on, with all bytes
  expect(shown(0.6, 0.61)).toEqual([
    [30, 'the picture is recognisable at 30 ms'],
    [70, 'the picture is good at 70 ms'],
  ]);
  expect(shown(0.7, 0.8).at(-1)).toEqual([70, 'the picture is good at 70 ms']);
  expect(captionsOf(trace).some(({text}) => /picture/.test(text))).toBe(false);
});

test('the caption about pictures says how many there are', () => {
  const {objects, ...page} = smallQuality();
  const [index, image] = smallTrace().objects;
  if (index === undefined || image === undefined) throw new Error('no objects');
  const data = smallTrace();
  const twelve = Array.from({length: 12}, (_, i) => ({...image, url: `/${i}.jpg`}));
  const rows = twelve.map((_, i) => i + 1);
  const deliveries = {
    object: Uint32Array.of(0, ...rows),
    atNs: Float64Array.of(20e6, ...rows.map(row => row * 3e9)),
    bytes: Float64Array.of(100, ...rows.map(() => 400)),
    first: new Float64Array(13),
  };
  const shown = (count: number) => {
    const trace = new Trace({...data, objects: [index, ...twelve.slice(0, count)], deliveries});
    const quality = {
      ...page,
      objects: [objects[0] ?? null, ...twelve.slice(0, count).map(() => objects[1] ?? null)],
    };
    return captionsOf(trace, {quality, thresholds: {recognisable: 0.5, good: 0.9}})
      .map(({text}) => text)
      .filter(text => /recognisable/.test(text));
  };
  expect(shown(2)).toEqual(['both pictures recognisable at 6.0 s']);
  expect(shown(10)).toEqual(['all ten pictures recognisable at 30.0 s']);
});

test('the caption line says that an object waits exactly while it waits', () => {
  const trace = new Trace(smallTrace());
  const line = captionLine(captionsOf(trace), 5e9);
  for (let tNs = 0; tNs <= 80e6; tNs += 1e6) {
    const waits = trace.blockedOf(1).some(({startNs, endNs}) => startNs <= tNs && tNs < endNs);
    expect(line(tNs) === 'image.jpg waits for lost data').toBe(waits);
  }
  // the caption of a state ends with the state, even if the time for events is longer or shorter
  expect([39, 40, 69, 70].map(ms => captionLine(captionsOf(trace), 1e6)(ms * 1e6))).toEqual([
    '',
    'image.jpg waits for lost data',
    'image.jpg waits for lost data',
    'page complete',
  ]);
});

test('objects that wait at the same time share a caption, and each is named while it waits', () => {
  const data = smallTrace();
  const trace = new Trace({
    ...data,
    endNs: 100e6,
    blocked: {
      endpoint: Uint32Array.of(0, 0, 0),
      stream: new Uint32Array(3),
      first: Float64Array.of(300, 400, 500),
      bytes: Uint32Array.of(100, 100, 100),
      startNs: Float64Array.of(30e6, 40e6, 80e6),
      endNs: Float64Array.of(60e6, 70e6, Number.NaN),
    },
    blockedPieces: {
      row: Uint32Array.of(0, 1, 2),
      object: Uint32Array.of(0, 1, 0),
      bytes: Uint32Array.of(100, 100, 100),
    },
  });
  expect(texts(trace).filter(([, text]) => /wait/.test(String(text)))).toEqual([
    [30, 'index.html waits for lost data'],
    [40, 'index.html and image.jpg wait for lost data'],
    [60, 'image.jpg waits for lost data'],
    [70, 'image.jpg waited 30 ms'],
    [80, 'index.html waits for lost data'],
    [100, 'index.html waited 20 ms'],
  ]);
});

test('a caption about a path change shows only what changes, and changes at the same time share a caption', () => {
  const changes = [
    {atMs: 15, path: {loss: {down: 0.1}}},
    {atMs: 30, path: {rateBps: 64_000}},
    {atMs: 30, path: {rttMs: 20}},
    {atMs: 40, path: {rateBps: 64_000}},
  ];
  expect(changeCaptions(scenario({changes}))).toEqual([
    {atNs: 15e6, text: 'loss 0 % → 10 % down'},
    {atNs: 30e6, text: 'rate 1 Mbit/s → 64 kbit/s, RTT 350 → 20 ms'},
  ]);
});

test('a lost request has a caption with its object, and a lost acknowledgement has no caption', () => {
  const data = smallTrace();
  const lost = () => texts(new Trace(data)).filter(([, text]) => /^\w+ lost/.test(String(text)));
  // the retransmission, packet 5, becomes a request
  data.packets.direction[5] = DIRECTION.up;
  data.packets.fate[5] = FATE.lost;
  const requestLost = [
    [25, 'packet lost: data of image.jpg'],
    [70, 'request lost: image.jpg'],
  ];
  expect(lost()).toEqual(requestLost);
  // packet 0, which comes from the client and carries nothing of an object, becomes an acknowledgement
  data.packets.kind[0] = PACKET_KIND.acknowledgement;
  data.packets.cumulativeAck[0] = 100;
  data.packets.fate[0] = FATE.lost;
  expect(lost()).toEqual(requestLost);
});

test('the captions of an aborted load and of a failed object give the reason', () => {
  const data = smallTrace();
  const [index, image] = data.objects;
  if (index === undefined || image === undefined) throw new Error('no objects');
  const failed = {
    ...image,
    completeNs: null,
    failedNs: 60e6,
    failure: {kind: 'status', status: 404},
  } as const;
  const aborted = {...data, outcome: 'aborted', reason: 'too many retransmissions'} as const;
  const shown = texts(new Trace({...aborted, objects: [index, failed]})).slice(-3);
  expect(shown.filter(([, text]) => !/wait/.test(String(text)))).toEqual([
    [60, 'image.jpg failed: status 404'],
    [70, 'no page time (aborted: too many retransmissions)'],
  ]);
});

test('captions say when the page is visually 85 % and 100 % complete, and the last one gives the Speed Index', () => {
  const shown = captionsOf(new Trace(smallTrace()), {
    quality: smallQuality(),
    thresholds: {recognisable: 1, good: 1},
  })
    .filter(({text}) => /visually|Index/.test(text))
    .map(({atNs, text}) => [atNs / 1e6, text]);
  expect(shown).toEqual([
    [30, 'visually 85 % complete'],
    [70, 'visually 100 % complete'],
    // a quarter of the screen is empty from 20 to 30 ms, and a tenth from 30 to 70 ms
    [70, 'page complete, Speed Index 27 ms'],
  ]);
});

test('a caption is shown for the given time, or until the next caption begins', () => {
  const captions = [
    {atNs: 10, text: 'a'},
    {atNs: 20, text: 'b'},
  ];
  expect([9, 10, 15, 16, 20, 25, 26].map(captionLine(captions, 5))).toEqual(['', 'a', 'a', '', 'b', 'b', '']);
});
