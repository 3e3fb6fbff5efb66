import {expect, test} from 'vitest';
import {Answers} from './answers.ts';
import {ThinkTimes} from './thinkTimes.ts';

test('think times run at the same time, or one after the other', () => {
  const answers = (thinksInTurn: boolean) => {
    const times = new ThinkTimes({thinkNs: 10, thinksInTurn});
    return [5, 6, 6, 50].map(nowNs => times.readyNs(nowNs));
  };
  expect(answers(false)).toEqual([15, 16, 16, 60]);
  expect(answers(true)).toEqual([15, 25, 35, 60]);
});

test('answers of threads come a little later, and not at the same time', () => {
  const starts = {afterNs: 4, apartNs: 2};
  const readyNs = (thinkNs: number, thinksInTurn: boolean) => {
    const times = new ThinkTimes({thinkNs, thinksInTurn, starts});
    return [5, 6, 6, 50].map(nowNs => times.readyNs(nowNs));
  };
  expect(readyNs(0, false)).toEqual([9, 11, 13, 54]);
  expect(readyNs(10, false)).toEqual([19, 21, 23, 64]);
  expect(readyNs(10, true)).toEqual([19, 29, 39, 64]);
});

test('a server of HTTP/2 or HTTP/3 can think in turn, too', () => {
  const rest = {object: 1, status: 200, statusText: 'OK', contentType: 'a/b', headerBytes: 0, body: new Uint8Array(3)};
  const options = {respond: () => rest, thinkNs: 10, scheduler: 'first-come'} as const;
  for (const [thinksInTurn, due] of [
    [false, [0, 4]],
    [true, [0]],
  ] as const) {
    const server = new Answers({...options, thinksInTurn});
    const fields = [':method GET', ':scheme https', ':path /1'].map(text => text.split(' ') as [string, string]);
    for (const stream of [0, 4]) server.handleFields(stream, fields, true, 0);
    expect(server.takeDue(10).map(({stream}) => stream)).toEqual(due);
  }
});
