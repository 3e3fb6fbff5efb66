// These tests compare our QPACK (app/http/qpack) with pylsqpack, the Python binding of ls-qpack, which aioquic uses.
// Entries, sections and acknowledgements are delayed by random amounts.
import {type ChildProcess, spawn} from 'node:child_process';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {afterEach, describe, expect, it} from 'vitest';
import type {Field} from '../../app/http/hpack/field.ts';
import {QpackDecoder} from '../../app/http/qpack/qpackDecoder.ts';
import {QpackEncoder} from '../../app/http/qpack/qpackEncoder.ts';
import {AIOQUIC_PYTHON, NO_AIOQUIC} from './testing/aioquicPeer.ts';

const LIMITS = [
  {tableBytes: 0, blockedStreams: 0},
  {tableBytes: 4096, blockedStreams: 0},
  {tableBytes: 4096, blockedStreams: 1},
  {tableBytes: 300, blockedStreams: 100},
  {tableBytes: 4096, blockedStreams: 100},
  {tableBytes: 65_536, blockedStreams: 100},
];
const SECTIONS = 400;

describe.skipIf(NO_AIOQUIC !== '')(`QPACK with pylsqpack${NO_AIOQUIC}`, () => {
  let peer: PylsqpackPeer | undefined;
  afterEach(() => peer?.kill());

  it.each(LIMITS)(
    'pylsqpack decodes what our encoder writes (table: $tableBytes bytes, blocked streams: at most $blockedStreams)',
    async limits => {
      peer = new PylsqpackPeer();
      const random = randomNumbers(1);
      const encoder = new QpackEncoder(4096);
      encoder.handleSettings(limits);
      await peer.ask(`decoder ${limits.tableBytes} ${limits.blockedStreams}`);
      const delayed = new Delayed(random);
      const read = async (answer: string, fields: readonly Field[]) => {
        const [control = '', list = ''] = answer.split(/ (.*)/s);
        expect(JSON.parse(list)).toEqual(fields);
        delayed.acknowledgements.push(fromHex(control));
      };
      const blocked = new Map<number, readonly Field[]>();
      let mostBlocked = 0;
      for (let i = 0; i < SECTIONS; i++) {
        const fields = someFields(random, i);
        const section = encoder.encode(4 * i, fields);
        delayed.entries.push(encoder.takeInstructions() ?? NOTHING);
        delayed.sections.push({stream: 4 * i, section, fields});
        for (const entries of delayed.some('entries', i === SECTIONS - 1)) {
          const unblocked = entries.length === 0 ? '-' : await peer.ask(`entries ${toHex(entries)}`);
          for (const word of unblocked === '-' ? [] : unblocked.split(' ')) {
            const stream = Number(word);
            await read(await peer.ask(`resume ${stream}`), blocked.get(stream) ?? []);
            blocked.delete(stream);
          }
        }
        for (const {stream, section, fields} of delayed.some('sections', i === SECTIONS - 1)) {
          const answer = await peer.ask(`section ${stream} ${toHex(section)}`);
          if (answer === 'blocked') blocked.set(stream, fields);
          else await read(answer, fields);
          mostBlocked = Math.max(mostBlocked, blocked.size);
        }
        for (const bytes of delayed.some('acknowledgements', false)) encoder.handleDecoderStream(bytes);
      }
      expect(blocked.size).toBe(0);
      expect(mostBlocked).toBeLessThanOrEqual(limits.blockedStreams);
      if (limits.blockedStreams > 0) expect(mostBlocked).toBeGreaterThan(0);
    },
  );

  it.each(LIMITS)(
    'our decoder reads what pylsqpack writes (table: $tableBytes bytes, blocked streams: at most $blockedStreams)',
    async limits => {
      peer = new PylsqpackPeer();
      const random = randomNumbers(2);
      const decoder = new QpackDecoder(limits, 1e6);
      const delayed = new Delayed(random);
      delayed.entries.push(fromHex(await peer.ask(`settings ${limits.tableBytes} ${limits.blockedStreams}`)));
      const blocked = new Map<number, {readonly section: Uint8Array; readonly fields: readonly Field[]}>();
      let mostBlocked = 0;
      const read = (stream: number, section: Uint8Array, fields: readonly Field[]) => {
        const result = decoder.decode(stream, section);
        if (result.state === 'blocked') blocked.set(stream, {section, fields});
        else expect(result).toEqual({state: 'decoded', fields});
        mostBlocked = Math.max(mostBlocked, blocked.size);
      };
      for (let i = 0; i < SECTIONS; i++) {
        const fields = someFields(random, i);
        const [entries = '', section = ''] = (await peer.ask(`encode ${4 * i} ${JSON.stringify(fields)}`)).split(' ');
        delayed.entries.push(fromHex(entries));
        delayed.sections.push({stream: 4 * i, section: fromHex(section), fields});
        for (const bytes of delayed.some('entries', i === SECTIONS - 1)) decoder.handleEncoderStream(bytes);
        for (let stream = decoder.pollUnblocked(); stream !== undefined; stream = decoder.pollUnblocked()) {
          const {section, fields} = blocked.get(stream) as NonNullable<ReturnType<typeof blocked.get>>;
          blocked.delete(stream);
          read(stream, section, fields);
        }
        for (const {stream, section, fields} of delayed.some('sections', i === SECTIONS - 1))
          read(stream, section, fields);
        delayed.acknowledgements.push(decoder.takeInstructions() ?? NOTHING);
        for (const bytes of delayed.some('acknowledgements', false)) {
          if (bytes.length > 0) expect(await peer.ask(`acknowledge ${toHex(bytes)}`)).toBe('ok');
        }
      }
      expect(blocked.size).toBe(0);
      if (limits.blockedStreams > 0) expect(mostBlocked).toBeGreaterThan(0);
    },
  );

  it('both refuse the same broken bytes', async () => {
    peer = new PylsqpackPeer();
    for (const [entries, section] of BROKEN) {
      await peer.ask('decoder 4096 100');
      const theirs = [await peer.ask(`entries ${entries}`), await peer.ask(`section 0 ${section}`)];
      const refused = () => {
        const decoder = new QpackDecoder({tableBytes: 4096, blockedStreams: 100}, 1e6);
        decoder.handleEncoderStream(fromHex(entries));
        decoder.decode(0, fromHex(section));
      };
      expect([entries, section, theirs.some(answer => answer.startsWith('error'))]).toEqual([entries, section, true]);
      expect(refused).toThrow();
    }
  });
});

/** Bytes of an encoder stream, and a section after it, of which one is invalid. */
const BROKEN: readonly (readonly [entries: string, section: string])[] = [
  ['3fe21f', '0000d1'],
  ['3fe11f00', '0000d1'],
  ['3fe11fff2400', '0000d1'],
  ['3fe11f41610176', '0000ff24'],
  ['3fe11f41610176', '000080'],
  ['3fe11f41610176', '0000510b2f69'],
  ['3fe11f41610176', 'ff20'],
];

/** What is in flight. Each kind arrives in order, except for sections, which are on different streams. */
class Delayed {
  readonly entries: Uint8Array[] = [];
  readonly sections: {readonly stream: number; readonly section: Uint8Array; readonly fields: readonly Field[]}[] = [];
  readonly acknowledgements: Uint8Array[] = [];
  readonly #random: (below: number) => number;

  constructor(random: (below: number) => number) {
    this.#random = random;
  }

  /** Removes and returns what arrives now: everything, or a random part. */
  some<K extends 'entries' | 'sections' | 'acknowledgements'>(kind: K, isAll: boolean): this[K] {
    const all = this[kind];
    if (kind === 'sections') all.sort(() => this.#random(3) - 1);
    return all.splice(0, isAll ? all.length : this.#random(Math.min(all.length, 4) + 1)) as this[K];
  }
}

/** Returns fields as browsers send them: some are always equal, some differ each time, some repeat now and then. */
function someFields(random: (below: number) => number, number: number): readonly Field[] {
  const all: readonly Field[] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', 'page.test'],
    [':path', `/picture/${number}.jpg`],
    ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
    ['accept', random(2) === 0 ? '*/*' : 'image/avif,image/webp,*/*;q=0.8'],
    ['cookie', `session=${'0123456789abcdef'.repeat(1 + random(20))}`],
    ['cookie', `last=${number}`],
    ['x-own', String.fromCharCode(...Array.from({length: random(30)}, () => 32 + random(90))).trim()],
    ['referer', `https://page.test/${random(3)}`],
  ];
  return all.filter((_, i) => i < 4 || random(4) > 0);
}

class PylsqpackPeer {
  readonly #process: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor() {
    const script = join(import.meta.dirname, 'testing/pylsqpack_peer.py');
    this.#process = spawn(AIOQUIC_PYTHON ?? '', [script], {stdio: ['pipe', 'pipe', 'inherit']});
    const input = this.#process.stdout as NonNullable<ChildProcess['stdout']>;
    this.#lines = createInterface({input})[Symbol.asyncIterator]();
  }

  async ask(command: string): Promise<string> {
    this.#process.stdin?.write(`${command}\n`);
    const {value, done} = await this.#lines.next();
    if (done) throw new Error(`pylsqpack ended at: ${command}`);
    return value;
  }

  kill(): void {
    this.#process.kill();
  }
}

/** Returns a function that draws whole numbers below a limit (a linear congruential generator). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex') || '-';
}

function fromHex(hex: string): Uint8Array {
  return hex === '-' ? NOTHING : Uint8Array.from(Buffer.from(hex, 'hex'));
}

const NOTHING = new Uint8Array(0);
