import {renderToStaticMarkup} from 'react-dom/server';
import {expect, test} from 'vitest';
import type {Part} from '../../../app/run/packets/part.ts';
import {Parts} from './PacketPanel.tsx';

const IP = part('IPv4');
const UDP = {...part('UDP'), fault: 'cut short'};
const QUIC = part('QUIC 1-RTT packet', [part('STREAM, stream 4', [part('DATA')])]);

function part(name: string, parts: readonly Part[] = []): Part {
  return {name, fields: [{name: 'of', text: name}], parts};
}

/** The names in their order; those of folded parts are in brackets. */
function names(parts: readonly Part[]): readonly string[] {
  const html = renderToStaticMarkup(<Parts parts={parts} />);
  return Array.from(html.matchAll(/<(h3|summary)>([^<]*)/g), ([, tag, name]) =>
    tag === 'h3' ? (name ?? '') : `(${name})`,
  );
}

test('the payload comes first, and the headers around it are folded, the innermost first', () => {
  expect(names([IP, UDP, QUIC, QUIC])).toEqual([
    'QUIC 1-RTT packet',
    'STREAM, stream 4',
    'DATA',
    'QUIC 1-RTT packet',
    'STREAM, stream 4',
    'DATA',
    '(UDP)',
    '(IPv4)',
  ]);
});

test('without a payload, the transport header is open, and shows its fault', () => {
  expect(names([IP, UDP])).toEqual(['UDP', '(IPv4)']);
  expect(names([IP])).toEqual(['(IPv4)']);
  expect(names([])).toEqual([]);
  expect(renderToStaticMarkup(<Parts parts={[IP, UDP]} />)).toContain('<p role="alert">cut short</p>');
});
