import {describe, expect, test} from 'vitest';
import type {ConvertedPage} from '../../page/page.ts';
import {syntheticPage} from '../../page/synthetic.ts';
import {parseScenario} from '../../run/scenario/scenario.ts';
import {absenceNotes, predictAll} from './prediction.ts';
import {responseTimes} from './responseTime.ts';

/** HTML of 3000 bytes and ten objects of 9750 bytes, each with a header of 250 bytes. */
const page = syntheticPage({indexBytes: 3000, objects: 10, objectBytes: 9750, headerBytes: 250, requestBytes: 200});

/** The predictions for each pane. */
function predictions(document: object, ofPage: ConvertedPage = page) {
  const parsed = parseScenario({path: {rateBps: 1e6, rttMs: 350, loss: 0.03}, ...document});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return predictAll(parsed.scenario, ofPage);
}

describe('a prediction', () => {
  const path = {rateBps: 1e6, rttMs: 350, lossRate: 0.03, mssBytes: 1460};
  const {tcpMs, sctpMs} = responseTimes(path, {htmlBytes: 3000, objects: 10, objectBytes: 100_000});

  test('counts responses with their headers, in packets without the 40 bytes of IP and TCP headers', () => {
    expect(predictions({})).toMatchObject([{completeMs: tcpMs}, {completeMs: sctpMs}]);
    expect(tcpMs - sctpMs).toBeGreaterThan(100);
  });

  test('of page time T leaves out the round trip of the set-up', () => {
    expect(predictions({})).toMatchObject([{pageTimeMs: tcpMs - 350}, {pageTimeMs: sctpMs - 350}]);
  });

  test('uses the sizes of the pictures that the pane loads', () => {
    const objects = page.objects.map((object, i) =>
      i === 0 ? null : {...object, body: new Uint8Array(750), tookMs: 1},
    );
    const [served, converted] = predictions(
      {panes: [{pipeline: 'tcp'}, {pipeline: 'tcp', conversion: 'webp'}]},
      {...page, converted: [{conversion: 'webp', objects}]},
    );
    const small = responseTimes(path, {htmlBytes: 3000, objects: 10, objectBytes: 10_000});
    expect([served, converted]).toMatchObject([{completeMs: tcpMs}, {completeMs: small.tcpMs}]);
  });

  test('takes rate and loss from the server’s direction, and the RTT from both', () => {
    const both = {rateBps: {down: 1e6, up: 5000}, rttMs: {down: 500, up: 200}, loss: {down: 0.03, up: 0.2}};
    expect(predictions({path: both})).toEqual(predictions({}));
  });
});

describe('a reason replaces the prediction if', () => {
  const reasons = (document: object, ofPage = page) =>
    predictions(document, ofPage).map(each => (each.ok ? '' : each.reason));

  test.each<[string, object]>([
    ['the path changes during the load', {changes: [{atMs: 5, path: {rttMs: 20}}]}],
    ['losses are not independent of each other', {path: {loss: {p: 0.01, r: 0.3}}}],
    ['losses are not independent of each other', {path: {loss: {packets: [3]}}}],
    ['every packet is lost', {path: {loss: 1}}],
    ['the server takes time to think', {serverThinkMs: 5}],
    ['other traffic shares the path', {path: {traffic: [{kind: 'cbr', direction: 'down', rateBps: 1e5}]}}],
    ['all panes share the path', {path: {atOnce: true}}],
    ['the queue drops or marks packets before it is full', {path: {queue: {kind: 'codel'}}}],
    ['the delay of packets is random', {path: {jitter: {up: 5}}}],
    ['packets overtake others', {path: {reorder: 0.1}}],
    ['packets arrive twice', {path: {duplicate: 0.1}}],
    ['a policer drops packets', {path: {policer: {down: {rateBps: 1e6, burstBytes: 3000}}}}],
  ])('%s', (reason, document) => {
    expect(reasons(document)).toEqual([reason, reason]);
  });

  test('the queue is not a drop-tail queue', () => {
    expect(reasons({path: {queue: {kind: 'droptail', packets: 50}}})).toEqual(['', '']);
  });

  test('the model does not cover a pane, while it covers the other', () => {
    const panes = [{pipeline: 'tcp', sendBuffer: {bytes: 4096}}, {pipeline: 'sctp'}];
    expect(reasons({panes})).toEqual(['the server’s send buffer is limited', '']);
    const one = [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 1}];
    expect(reasons({panes: one})).toEqual(['', 'with one stream, data waits behind losses as over TCP']);
  });

  test('a pane is TCP on several connections or without pipelining', () => {
    const panes = [
      {pipeline: 'tcp', connections: 2},
      {pipeline: 'tcp', pipelining: false},
    ];
    const none = 'the model covers only SCTP and TCP pipelined on one connection';
    expect(reasons({panes})).toEqual([none, none]);
  });

  test('a pane drops packets of its own', () => {
    const panes = [{pipeline: 'tcp', drop: {down: {packets: [3]}}}, {pipeline: 'sctp'}];
    expect(reasons({panes})).toEqual(['the pane also loses single packets', '']);
  });

  test('slow start ends without a loss: it ends with 128 packets, but not with 127', () => {
    const longPage = (packets: number) => {
      const objectBytes = packets * 1460 - 250;
      return syntheticPage({indexBytes: 3000, objects: 1, headerBytes: 250, requestBytes: 200, objectBytes});
    };
    expect(reasons({path: {loss: 0}}, longPage(127))).toEqual(['', '']);
    expect(reasons({path: {loss: 0}}, longPage(128))[0]).toMatch(/^slow start ends before the first expected loss/);
    expect(reasons({path: {loss: 0.05}}, longPage(300))).toEqual(['', '']);
  });
});

test('each reason has one note, which names its panes', () => {
  const notes = (document: object) => absenceNotes(predictions(document), ['one', 'two']);
  expect(notes({})).toEqual([]);
  expect(notes({serverThinkMs: 5})).toEqual(['no model T: the server takes time to think']);
  expect(notes({panes: [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 1}]})).toEqual([
    'two has no model T: with one stream, data waits behind losses as over TCP',
  ]);
  const limited = {pipeline: 'tcp', sendBuffer: {bytes: 4096}};
  expect(notes({panes: [limited, {pipeline: 'sctp', streams: 1}]})).toEqual([
    'one has no model T: the server’s send buffer is limited',
    'two has no model T: with one stream, data waits behind losses as over TCP',
  ]);
  const rivals = predictions({panes: [{pipeline: 'h2'}, {pipeline: 'tcp'}, {pipeline: 'h3'}]});
  expect(absenceNotes(rivals, ['a', 'b', 'c'])).toEqual([
    'a, c have no model T: the model covers only SCTP and TCP pipelined on one connection',
  ]);
  expect(absenceNotes([], [])).toEqual([]);
});
