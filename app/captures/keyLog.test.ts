import {expect, test} from 'vitest';
import {joinedKeyLogs, readKeyLog} from './keyLog.ts';

const [A, B, C] = ['aa', 'bb', 'cc'].map(byte => byte.repeat(32)) as [string, string, string];

function line(label: string, random: string, byte: string): string {
  return `${label} ${random} ${byte.repeat(32)}`;
}

function firstBytes(secrets: ReadonlyMap<string, Uint8Array> | undefined): readonly unknown[] | undefined {
  return secrets && Array.from(secrets, ([label, [first]]) => [label, first]);
}

test('joined key logs have the secrets of both, and the second one counts for a secret that both have', () => {
  const first = readKeyLog([line('X', A, '01'), line('X', B, '02'), line('Y', B, '03')].join('\n'));
  const second = readKeyLog([line('Y', B, '04'), line('Z', B, '05'), line('X', C, '06')].join('\r\n'));
  const joined = joinedKeyLogs(first, second);
  expect(firstBytes(joined.get(A))).toEqual([['X', 1]]);
  expect(firstBytes(joined.get(B))).toEqual([
    ['X', 2],
    ['Y', 4],
    ['Z', 5],
  ]);
  expect(firstBytes(joined.get(C))).toEqual([['X', 6]]);
  expect(joined.get('dd'.repeat(32))).toBeUndefined();
});
