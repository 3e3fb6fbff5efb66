import {expect, test} from 'vitest';
import type {CauseName} from './causeKinds.ts';
import {causeTotals, sumNs, whySentence} from './causeTotals.ts';

const MS = 1e6;

/** A side of a comparison with these causes, in ms. */
function side(name: string, causes: {readonly [cause in CauseName]?: number}) {
  return {name, totals: Object.entries(causes).map(([cause, ms]) => ({name: cause as CauseName, ns: ms * MS}))};
}

test('spans are added up by cause, in the order of the list', () => {
  const span = (cause: CauseName, fromMs: number, untilMs: number) => {
    return {cause, fromNs: fromMs * MS, untilNs: untilMs * MS, object: 0, direction: null};
  };
  const totals = causeTotals([
    span('set-up', 0, 3),
    span('propagation', 3, 5),
    span('dns', 5, 6),
    span('set-up', 6, 9),
  ]);
  expect(totals).toEqual([
    {name: 'dns', ns: MS},
    {name: 'set-up', ns: 6 * MS},
    {name: 'propagation', ns: 2 * MS},
  ]);
  expect(sumNs(totals)).toBe(9 * MS);
});

test('the sentence names the side that is ahead, and what differs most, seen from that side', () => {
  const one = side('TCP', {'set-up': 100, blocking: 5000});
  const other = side('SCTP', {'set-up': 1100});
  const sentence =
    'SCTP is 4.00 s ahead of TCP: 5.00 s less behind lost packets of other objects and 1.00 s more for the set-up of connections.';
  expect(whySentence(one, other)).toBe(sentence);
  expect(whySentence(other, one)).toBe(sentence);
});

test('the sentence has at most three causes, and none below a tenth of the largest one', () => {
  const one = side('A', {tls: 400, 'slow-start': 300, server: 200, window: 100, pacing: 0});
  expect(whySentence(side('B', {pacing: 1}), one).match(/ less /g)).toHaveLength(3);
  expect(whySentence(side('B', {}), side('A', {tls: 1000, server: 99}))).toBe(
    'B is 1.10 s ahead of A: 1.00 s less for TLS.',
  );
});

test('sides with equal times differ by causes, or in nothing', () => {
  expect(whySentence(side('A', {tls: 10}), side('B', {server: 10}))).toBe(
    'A and B are equally fast: A has 10 ms more for TLS and 10 ms less at the server.',
  );
  expect(whySentence(side('A', {tls: 10}), side('B', {tls: 10}))).toBe(
    'A and B are equally fast, for the same reasons.',
  );
});
