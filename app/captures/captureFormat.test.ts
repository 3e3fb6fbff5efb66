import {expect, test} from 'vitest';
import {bytesOf} from '../base/bytes.ts';
import {captureFormat} from './captureFormat.ts';

const of = (text: string) => captureFormat(bytesOf(text));

test('a capture of packets is recognised by its first bytes', () => {
  expect(of('\x0a\x0d\x0d\x0a\x1c')).toBe('pcap');
  expect([of('\xd4\xc3\xb2\xa1\x02'), of('\xa1\xb2\xc3\xd4\x00'), of('\x4d\x3c\xb2\xa1')]).toEqual([
    'pcap',
    'pcap',
    'pcap',
  ]);
  expect([of('\x0a\x0d\x0d'), of(''), of('\x7fELF')]).toEqual([undefined, undefined, undefined]);
});

test('JSON is recognised by its keys', () => {
  expect(of('{"log": {"version": "1.2", "entries": []}}')).toBe('har');
  expect(of('\xef\xbb\xbf {\n "log": {}}')).toBe('har');
  expect(of('{"qlog_version": "0.3", "traces": []}')).toBe('qlog');
  expect(of('{"file_schema":"urn:ietf:params:qlog:file:contained"}')).toBe('qlog');
  expect(of('\x1e{"qlog_format":"JSON-SEQ","qlog_version":"0.3"}\n')).toBe('qlog');
  expect(of('{"constants":{"x": "\\"log\\": qlog_version"},"events":[]}')).toBe('netlog');
  expect([of('{"panes": []}'), of('{"traceEvents": []}'), of('\x1e{}'), of('[1]')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a key log is recognised by its lines', () => {
  const line = `CLIENT_HANDSHAKE_TRAFFIC_SECRET ${'ab'.repeat(32)} ${'cd'.repeat(32)}`;
  expect(of(`# comment\n${line}\n`)).toBe('keys');
  expect(of('# comment\nno secrets\n')).toBeUndefined();
});
