import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {ObjectImage} from './decodeQueue.ts';
import {BROKEN_IMAGE, EMPTY_IMAGE} from './inertElement.ts';

const WHOLE = 1000;

let revoked: string[];
beforeEach(() => {
  revoked = [];
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(address => void revoked.push(address));
});
afterEach(() => vi.restoreAllMocks());

describe('the picture of an object', () => {
  test('is decoded one prefix at a time, and continues with the prefix that was requested last', async () => {
    const {image, shown, decoding, decoded} = slowImage();
    const first = image.want(100);
    const others = [200, 300, 400].map(bytes => image.want(bytes));
    expect(decoding()).toEqual([100]);
    decoded(100);
    await expect.poll(decoding).toEqual([400]);
    expect(shown).toEqual([[address(100), 100]]);
    decoded(400);
    await Promise.all([first, ...others]);
    expect(shown.at(-1)).toEqual([address(400), 400]);
    expect(shown).toHaveLength(2);
  });

  test('stays in its box until the next picture is ready', async () => {
    const {image, shown, decoding, decoded} = slowImage();
    const first = image.want(100);
    decoded(100);
    await first;
    const second = image.want(200);
    await expect.poll(decoding).toEqual([200]);
    expect(shown).toEqual([[address(100), 100]]);
    decoded(200);
    await second;
    expect(shown.at(-1)).toEqual([address(200), 200]);
  });

  test('is the empty image without bytes, or if it cannot be decoded yet', async () => {
    const {image, shown, decoding} = slowImage();
    await image.want(0);
    expect(shown).toEqual([[EMPTY_IMAGE, 0]]);
    expect(decoding()).toEqual([]);
    const {image: headless, shown: boxes} = fastImage(() => undefined);
    await headless.want(10);
    expect(boxes).toEqual([[EMPTY_IMAGE, 10]]);
  });

  test('is the broken image if it failed, or is complete but cannot be decoded', async () => {
    const {image, shown, decodes} = fastImage(() => undefined);
    await image.want('failed');
    expect(shown).toEqual([[BROKEN_IMAGE, 0]]);
    expect(decodes).toEqual([]);
    await image.want(WHOLE);
    expect(shown.at(-1)).toEqual([BROKEN_IMAGE, WHOLE]);
  });

  test('is shown in boxes that are added while it is being shown in others', async () => {
    const shown: number[] = [];
    let isPut = () => {};
    const image = new ObjectImage(
      WHOLE,
      () => Promise.resolve('blob:'),
      (_, bytes) => {
        shown.push(bytes);
        return new Promise(resolve => {
          isPut = resolve;
        });
      },
    );
    const wanted = image.want(100);
    await expect.poll(() => shown).toEqual([100]);
    image.forget();
    isPut();
    await expect.poll(() => shown).toEqual([100, 100]);
    isPut();
    await wanted;
    expect(shown).toHaveLength(2);
  });

  test('is set once in each box, and again if the boxes have changed', async () => {
    const {image, shown} = fastImage();
    await image.want(100);
    await image.want(100);
    expect(shown).toHaveLength(1);
    image.forget();
    await image.want(100);
    expect(shown).toHaveLength(2);
  });
});

describe('decoded prefixes', () => {
  test('are used again', async () => {
    const {image, shown, decodes} = fastImage();
    for (const bytes of [100, 200, 100]) await image.want(bytes);
    expect(decodes).toEqual([100, 200]);
    expect(shown.at(-1)).toEqual([address(100), 100]);
  });

  test('are released when there are too many, the least recently used one first', async () => {
    const {image, decodes} = fastImage();
    for (let bytes = 1; bytes <= 64; bytes++) await image.want(bytes);
    await image.want(1);
    expect(revoked).toEqual([]);
    await image.want(65);
    expect(revoked).toEqual([address(2)]);
    await image.want(2);
    expect(decodes.at(-1)).toBe(2);
  });

  test('are all released at the end', async () => {
    const {image} = fastImage(bytes => (bytes > 10 ? address(bytes) : undefined));
    for (const bytes of [5, 100, 200]) await image.want(bytes);
    image.release();
    expect(revoked).toEqual([address(100), address(200)]);
  });
});

function address(bytes: number): string {
  return `blob:${bytes}`;
}

/** Decodes at once. */
function fastImage(decode: (bytes: number) => string | undefined = address) {
  const shown: (readonly [address: string, bytes: number])[] = [];
  const decodes: number[] = [];
  const image = new ObjectImage(
    WHOLE,
    bytes => {
      decodes.push(bytes);
      return Promise.resolve(decode(bytes));
    },
    (...picture) => Promise.resolve(void shown.push(picture)),
  );
  return {image, shown, decodes};
}

/** Decodes when the test tells it to. */
function slowImage() {
  const shown: (readonly [address: string, bytes: number])[] = [];
  const waiting = new Map<number, (address: string) => void>();
  const image = new ObjectImage(
    WHOLE,
    bytes => new Promise(resolve => waiting.set(bytes, resolve)),
    (...picture) => Promise.resolve(void shown.push(picture)),
  );
  const decoding = () => [...waiting.keys()];
  const decoded = (bytes: number) => {
    waiting.get(bytes)?.(address(bytes));
    waiting.delete(bytes);
  };
  return {image, shown, decoding, decoded};
}
