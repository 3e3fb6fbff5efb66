import {expect, test} from 'vitest';
import {FATE} from '../trace/columns.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {fateFields} from './fateFields.ts';
import {packetAt, packetBeside} from './panePacket.ts';

const fatesOf = (data = smallTrace()) => {
  const trace = new Trace(data);
  return (packet: number) => Object.fromEntries(fateFields(trace, packet).map(({name, text}) => [name, text]));
};

test('a delivered packet has both times, its objects, and whether its data was sent before', () => {
  expect(fatesOf()(5)).toEqual({
    sent: 'at 0.0600 s by the server',
    size: '140 B with its IP header',
    fate: 'delivered at 0.0700 s, after 10 ms',
    carries: 'image.jpg 100 B',
    'sent before': 'yes',
  });
  expect(fatesOf()(4)['sent before']).toBe('no');
});

test('a packet without data has no field for objects or retransmission', () => {
  expect(fatesOf()(0)).toEqual({
    sent: 'at 0.0000 s by the browser',
    size: '60 B with its IP header',
    fate: 'delivered at 0.0050 s, after 5 ms',
  });
});

test('a packet that did not arrive was lost, dropped by the queue, or still in flight', () => {
  const texts = [FATE.lost, FATE.queueFull, FATE.inFlight].map(fate => {
    const data = smallTrace();
    data.packets.fate[3] = fate;
    return fatesOf(data)(3)['fate'];
  });
  expect(texts).toEqual([
    'lost: the path dropped it',
    'dropped: the queue before the link was full',
    'still on its way when the run ended',
  ]);
});

test('the text of a loss after the link contains the time of the loss', () => {
  const data = smallTrace();
  data.packets.fate[5] = FATE.lost;
  expect(fatesOf(data)(5)['fate']).toBe('lost behind the link at 0.0700 s: the path dropped it');
});

test('a packet on its way at the end of the run shows when it is due, but not that it is lost after the end', () => {
  const data = {...smallTrace(), endNs: 65e6};
  data.packets.copyNs[5] = 72e6;
  expect(fatesOf(data)(5)).toMatchObject({
    fate: 'still on its way when the run ended, due at 0.0700 s, after 10 ms',
    copy: 'due at 0.0720 s, too',
  });
  data.packets.fate[5] = FATE.lost;
  expect(fatesOf(data)(5)['fate']).toBe('still on its way when the run ended');
});

test('the number of the connection is shown if there are several', () => {
  const one = {client: 0, server: 1, streams: 1};
  const data = {...smallTrace(), connections: [{client: 2, server: 3, streams: 1}, one]};
  expect(fatesOf(data)(5)['sent']).toBe('at 0.0600 s by the server, connection 2');
});

test('there are no fields for a missing packet', () => {
  expect(fatesOf()(6)).toEqual({});
});

test('packetBeside stays in the pane, and stops at its first and last packet', () => {
  const traces = [new Trace(smallTrace()), new Trace(smallTrace())];
  const beside = (packet: number, steps: 1 | -1) => packetBeside(traces, {pane: 1, packet}, steps);
  expect(beside(2, 1)).toEqual({pane: 1, packet: 3});
  expect(beside(2, -1)).toEqual({pane: 1, packet: 1});
  expect(beside(5, 1)).toEqual({pane: 1, packet: 5});
  expect(beside(0, -1)).toEqual({pane: 1, packet: 0});
});

test('packetAt returns the last packet that the server has sent by t, or its first packet if it has sent none', () => {
  const traces = [new Trace(smallTrace())];
  expect(packetAt(traces, 29e6)).toEqual({pane: 0, packet: 3});
  expect(packetAt(traces, 0)).toEqual({pane: 0, packet: 1});
  expect(packetAt([], 0)).toBeNull();
});
