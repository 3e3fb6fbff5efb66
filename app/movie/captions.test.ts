import {expect, test} from 'vitest';
import {parseScenario, type Scenario} from '../scenario/scenario.ts';
import {smallTrace} from '../trace/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {captionLine, captionsOf, changeCaptions} from './captions.ts';

const scenario = (document: object): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};

const texts = (trace: Trace) => captionsOf(trace).map(({atNs, text}) => [atNs / 1e6, text]);

test('a load is told in its order, a loss with what waits for it', () => {
  expect(texts(new Trace(smallTrace()))).toEqual([
    [10, 'connected'],
    [25, 'packet lost: image.jpg waits'],
    [70, 'page complete'],
  ]);
});

test('a change is told by what changes, those of one time together', () => {
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

test('a lost request is named, a lost acknowledgement is nobody’s business', () => {
  const data = smallTrace();
  // the retransmission becomes a GET, packet 4 the client's acknowledgement
  data.packets.direction[5] = 1;
  data.packets.fate[5] = 2;
  const lost = texts(new Trace(data)).filter(([, text]) => /lost/.test(String(text)));
  expect(lost).toEqual([
    [25, 'packet lost: image.jpg waits'],
    [70, 'request lost: image.jpg'],
  ]);
  data.packets.direction[0] = 1;
  data.packets.fate[0] = 2;
  expect(texts(new Trace(data)).filter(([, text]) => /lost/.test(String(text)))).toEqual(lost);
});

test('a load that gives up says why, and an object that fails', () => {
  const data = smallTrace();
  const [index, image] = data.objects;
  if (index === undefined || image === undefined) throw new Error('no objects');
  const failed = {...image, completeNs: null, failedNs: 60e6, failure: 'status 404'};
  const aborted = {...data, outcome: 'aborted', reason: 'too many retransmissions'} as const;
  expect(texts(new Trace({...aborted, objects: [index, failed]})).slice(-2)).toEqual([
    [60, 'image.jpg failed: status 404'],
    [70, 'aborted: too many retransmissions'],
  ]);
});

test('a caption stays for its time, and gives way to the next', () => {
  const captions = [
    {atNs: 10, text: 'a'},
    {atNs: 20, text: 'b'},
  ];
  expect([9, 10, 15, 16, 20, 25, 26].map(captionLine(captions, 5))).toEqual(['', 'a', 'a', '', 'b', 'b', '']);
});
