import {describe, expect, test} from 'vitest';
import {StreamChain} from '../http/h2/streamChain.ts';
import {startServer} from '../http/testing/handlerServer.ts';
import {caddy, caddy211} from './caddy.ts';

// The frames that Caddy wrote in captures while Chromium loaded `gallery`, with pictures of 10 KB (docs/servers.md).
// The tests begin at the first picture.

/** Requests `count` pictures, one every `spacingNs`, and returns the frames before any write waits for room. */
function framesFor({h2}: typeof caddy | typeof caddy211, count: number, spacingNs: number): readonly string[] {
  if (h2 === undefined) throw new Error('no HTTP/2');
  const [{ask, run, server}, chain] = [startServer(h2), new StreamChain()];
  const frames: string[] = [];
  for (let i = 0; i < count; i++) {
    const [stream, atNs] = [2 * i + 3, i * spacingNs];
    frames.push(...run((i - 1) * spacingNs, atNs));
    server.handleDependency(stream, chain.add(stream, 3));
    ask(stream, 10_000, atNs);
  }
  frames.push(...run((count - 1) * spacingNs));
  return frames.map(text =>
    text
      .replace(/^.*: (\d+) head$/, 'h$1')
      .replace(/^.*: (\d+) 0 end$/, 'e$1')
      .replace(/^.*: (\d+) .*$/, 'D$1'),
  );
}

/** The number of heads before the first body. */
function headsFirst(frames: readonly string[]): number {
  return frames.findIndex(text => !text.startsWith('h'));
}

describe.each([caddy, caddy211])('$label', server => {
  test('writes a head 0.55 ms after its request', () => {
    if (server.h2 === undefined) throw new Error('no HTTP/2');
    const {ask, run} = startServer(server.h2);
    ask(3, 10_000, 0);
    expect(run(0)[0]).toBe('550000: 3 head');
  });

  test('writes about four heads before the first body if requests arrive at 10 Mbit/s', () => {
    // 4 in the median of 20 captured loads of each version
    expect(headsFirst(framesFor(server, 9, 90_000))).toBeOneOf([3, 4, 5]);
  });

  test('writes most of nine heads before the first body if requests arrive at 50 Mbit/s', () => {
    // 7 in the median of 20 captured loads of each version, and up to 9
    expect(headsFirst(framesFor(server, 9, 15_000))).toBeGreaterThanOrEqual(6);
  });

  test('writes each body and its end after its head if requests arrive at 1 Mbit/s', () => {
    expect(framesFor(server, 3, 900_000).join(' ')).toBe('h3 D3 e3 h5 D5 e5 h7 D7 e7');
  });
});
