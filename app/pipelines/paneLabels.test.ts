import {describe, expect, test} from 'vitest';
import type {Json} from '../base/json.ts';
import {DEFAULT_PANES} from '../run/scenario/pane.ts';
import {parseScenario} from '../run/scenario/scenario.ts';
import type {Pane} from './index.ts';
import {columnLabels, headerWordsOf, paneLabels, paneTitles, shortNames, titleNames} from './paneLabels.ts';
import type {SctpPane} from './sctp/sctp.ts';
import type {TcpPane} from './tcp/tcp.ts';

const [tcp, sctp] = DEFAULT_PANES as readonly [TcpPane, SctpPane];

describe('the label of a pane', () => {
  test('names the browser and the server that a pane states, if panes differ in these', () => {
    const real: Pane = {...tcp, browser: 'chromium', webServer: 'nginx'};
    expect(paneLabels([tcp, real])).toEqual(['TCP classic', 'TCP classic, Chromium 156, nginx 1.22']);
    expect(shortNames([tcp, real])).toEqual(['TCP', 'TCP Chromium 156 nginx 1.22']);
    expect(paneLabels([real, {...real, pipelining: false}])).toEqual(['TCP classic', 'TCP classic, one at a time']);
  });

  test('consists of pipeline, profile and streams if these are distinct', () => {
    const one: Pane = {...sctp, streams: 1};
    expect(paneLabels([tcp, sctp, one])).toEqual(['TCP classic', 'SCTP classic, 10 streams', 'SCTP classic, 1 stream']);
  });

  test.each<[Partial<SctpPane>, string, string]>([
    [{fragmentation: false}, 'messages of one packet', 'whole messages'],
    [{messageBytes: 1024}, 'messages of one packet', '1024 B messages'],
    [{scheduler: 'first-come'}, 'round-robin', 'first-come'],
    [{server: 'interleaving'}, 'sequential', 'interleaving'],
    [{sendBuffer: {bytes: 64_000}}, 'unlimited buffer', '64 KB buffer'],
    [{sendBuffer: {objects: 1}}, 'unlimited buffer', '1-object buffer'],
    [{idata: true}, 'DATA', 'I-DATA'],
    [{firstStreams: 2}, 'all streams at once', 'first 2 streams'],
    [{resetStreams: true}, 'streams stay open', 'streams reset'],
    [{serverStreams: 64}, 'server offers as many streams', 'server offers 64 streams'],
  ])('includes the setting in which panes differ: %o', (settings, here, there) => {
    expect(paneLabels([tcp, sctp, {...sctp, ...settings}])).toEqual([
      'TCP classic',
      `SCTP classic, 10 streams, ${here}`,
      `SCTP classic, 10 streams, ${there}`,
    ]);
  });

  test('includes the conversion of pictures if panes of any pipeline differ in it', () => {
    const progressive = {...sctp, conversion: 'progressive'} as const;
    expect(paneLabels([tcp, progressive])).toEqual(['TCP classic, as served', 'SCTP classic, 10 streams, progressive']);
    const all = [{...tcp, conversion: 'progressive'} as const, progressive];
    expect(paneLabels(all)).toEqual(['TCP classic', 'SCTP classic, 10 streams']);
    expect(shortNames([tcp, {...tcp, conversion: 'webp'}])).toEqual(['TCP as served', 'TCP WebP']);
    expect(shortNames([tcp, {...sctp, conversion: 'avif'}])).toEqual(['TCP as served', 'SCTP AVIF']);
  });

  test('has no commas in a table of comma-separated values', () => {
    expect(columnLabels([tcp, sctp])).toEqual(['TCP classic', 'SCTP classic · 10 streams']);
  });

  test('omits settings without effect, such as the message size if messages are not fragmented', () => {
    const whole = {...sctp, fragmentation: false};
    expect(paneLabels([whole, {...whole, messageBytes: 1024}])[1]).toBe('SCTP classic, 10 streams');
  });

  test('contains the smaller of the two ends’ numbers of streams', () => {
    expect(paneLabels([tcp, {...sctp, streams: 10, serverStreams: 3}])[1]).toBe('SCTP classic, 3 streams');
  });

  test('includes the pipeline depth if two TCP panes differ in it', () => {
    expect(paneLabels([tcp, {...tcp, pipelineDepth: 4}])).toEqual(['TCP classic', 'TCP classic, 4 requests at once']);
  });

  test('includes the send buffer if two TCP panes differ in it', () => {
    expect(paneLabels([tcp, {...tcp, sendBuffer: {objects: 4}}])[1]).toBe('TCP classic, 4-object buffer');
  });
});

test('the names of a captured pane contain the number of connections and the kind of file, but no settings', () => {
  const settings = {connections: 6, conversion: 'webp', sendBuffer: {objects: 4}} as const;
  const captured: Pane = {...tcp, ...settings, captured: 'pcap'};
  expect(headerWordsOf(captured, 6)).toEqual(['captured (pcap)']);
  expect(headerWordsOf(sctp, 3)).toEqual(['3 streams', 'classic']);
  const panes = [tcp, captured];
  expect(paneLabels(panes)).toEqual(['TCP classic, as served', 'TCP × 6, captured (pcap)']);
  expect(paneTitles(panes)).toEqual([
    'HTTP/1.1 over TCP, classic, as served',
    'HTTP/1.1 over TCP × 6, captured (pcap)',
  ]);
  expect(shortNames([tcp, {...tcp, captured: 'qlog'}])).toEqual(['TCP pipelined', 'TCP captured (qlog)']);
});

describe('the short name of a pane', () => {
  test('is the pipeline if no other pane has it', () => {
    expect(shortNames([tcp, sctp])).toEqual(['TCP', 'SCTP']);
  });

  test('includes the one word that distinguishes panes of the same pipeline', () => {
    expect(shortNames([tcp, {...sctp, streams: 1}, {...sctp, streams: 2}])).toEqual([
      'TCP',
      'SCTP 1 stream',
      'SCTP 2 streams',
    ]);
    expect(shortNames([sctp, {...sctp, profile: 'modern'}])).toEqual(['SCTP classic', 'SCTP modern']);
  });

  test('includes the number of connections as part of the pipeline', () => {
    const six = {...tcp, connections: 6, pipelining: false};
    expect(shortNames([tcp, six, sctp])).toEqual(['TCP', 'TCP × 6', 'SCTP']);
    expect(shortNames([six, {...six, tls: true}])).toEqual(['TCP × 6 no TLS', 'TCP × 6 TLS']);
  });

  test('is the label if no single word distinguishes the panes', () => {
    const panes: readonly Pane[] = [sctp, {...sctp, streams: 2}, {...sctp, streams: 2, profile: 'modern'}];
    expect(shortNames(panes)).toEqual(paneLabels(panes));
  });

  test('includes the number of the pane if another pane is equal', () => {
    expect(shortNames([tcp, sctp, tcp])).toEqual(['TCP classic (pane 1)', 'SCTP', 'TCP classic (pane 3)']);
  });
});

describe('the title of a pane', () => {
  const panesOf = (...own: readonly object[]): readonly Pane[] => {
    const parsed = parseScenario({panes: own as Json});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return parsed.scenario.panes;
  };

  test('names the version of HTTP for every pipeline', () => {
    const panes = panesOf(...['tcp', 'h2', 'h3', 'sctp', 'udp', 'catp'].map(pipeline => ({pipeline})));
    expect(titleNames(panes)).toEqual([
      'HTTP/1.1 over TCP',
      'HTTP/2',
      'HTTP/3',
      'HTTP over SCTP',
      'HTTP over UDP',
      'HTTP over CATP',
    ]);
  });

  test('contains the profile and what distinguishes the pane, and the number of connections once', () => {
    const six = {pipeline: 'tcp', connections: 6, pipelining: false};
    expect(paneTitles(panesOf(six, {pipeline: 'sctp'}, {pipeline: 'sctp', idata: true}))).toEqual([
      'HTTP/1.1 over TCP × 6, classic',
      'HTTP over SCTP, classic, 10 streams, DATA',
      'HTTP over SCTP, classic, 10 streams, I-DATA',
    ]);
    expect(paneTitles(panesOf({pipeline: 'tcp', pipelining: false}, {pipeline: 'catp'}))).toEqual([
      'HTTP/1.1 over TCP, classic, one at a time',
      'HTTP over CATP',
    ]);
  });

  test('has, in sentences, only one addition: the word that distinguishes panes of the same pipeline', () => {
    expect(titleNames(panesOf({pipeline: 'sctp'}, {pipeline: 'sctp', streams: 1}, {pipeline: 'tcp'}))).toEqual([
      'HTTP over SCTP 10 streams',
      'HTTP over SCTP 1 stream',
      'HTTP/1.1 over TCP',
    ]);
  });
});
