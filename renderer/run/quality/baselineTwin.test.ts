import {afterEach, expect, test, vi} from 'vitest';
import {atOnce, type Slices} from '../../kit/slices.ts';
import {baselineTwin} from './baselineTwin.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a picture is encoded to about as many bytes as it has, in slices with one attempt each', async () => {
  const {encoded} = browser();
  const perSlice: number[] = [];
  const slices: Slices = async work => {
    const before = encoded.length;
    const done = work();
    perSlice.push(encoded.length - before);
    return done;
  };
  const {objects} = await baselineTwin(pageOf(png(640, 480, 7000)), {...ALIVE, slices});
  expect(objects[0]).toMatchObject({contentType: 'image/jpeg'});
  expect(Math.abs((objects[0]?.body?.length ?? 0) - 7000)).toBeLessThan(100);
  // slices: one for drawing, one for each attempt, one for decoding
  expect(perSlice).toEqual([0, ...Array(7).fill(1), 0]);
  expect(new Set(encoded)).toEqual(new Set(['640×480']));
});

test('a picture with more pixels than a screen becomes smaller, and has fewer bytes', async () => {
  const {encoded} = browser();
  // 12 million px are 15.3 screens
  const {objects} = await baselineTwin(pageOf(png(4000, 3000, 91_550)), {...ALIVE, slices: atOnce});
  expect(new Set(encoded)).toEqual(new Set(['1024×768']));
  expect(Math.abs((objects[0]?.body?.length ?? 0) - 6000)).toBeLessThan(100);
});

test('an object stays unchanged if it is too large to measure, is not a picture, or cannot be decoded', async () => {
  const {decoded} = browser();
  for (const body of [png(10_000, 5001, 500), new Uint8Array(500), null]) {
    const page = pageOf(body);
    expect((await baselineTwin(page, {...ALIVE, slices: atOnce})).objects).toEqual(page.objects);
  }
  expect(decoded).toEqual([]);
  vi.stubGlobal('createImageBitmap', () => Promise.reject(new Error('broken')));
  const page = pageOf(png(640, 480, 500));
  expect((await baselineTwin(page, {...ALIVE, slices: atOnce})).objects).toEqual(page.objects);
});

test('an abort ends the work between two attempts', async () => {
  const {encoded} = browser();
  const gone = new AbortController();
  const slices: Slices = async work => {
    if (encoded.length === 2) gone.abort(new Error('closed'));
    return work();
  };
  const twin = baselineTwin(pageOf(png(640, 480, 7000)), {signal: gone.signal, slices});
  await expect(twin).rejects.toThrow('closed');
  expect(encoded).toHaveLength(3);
});

const ALIVE = {signal: new AbortController().signal};

/** A browser whose encoder returns 10 000 bytes times the quality. It records the sizes that it decoded and encoded. */
function browser() {
  const decoded: string[] = [];
  const encoded: string[] = [];
  vi.stubGlobal('createImageBitmap', async (blob: Blob) => {
    const view = new DataView(await blob.arrayBuffer());
    const [width, height] = [view.getUint32(16), view.getUint32(20)];
    decoded.push(`${width}×${height}`);
    return {width, height, close: () => undefined};
  });
  const createElement = () => ({
    width: 300,
    height: 150,
    getContext: () => ({fillRect: () => undefined, drawImage: () => undefined}),
    toDataURL(this: {width: number; height: number}, type: string, quality: number) {
      encoded.push(`${this.width}×${this.height}`);
      const jpeg = Buffer.alloc(Math.round(10_000 * quality));
      Buffer.from([0xff, 0xd8, 0xff, 0xc0]).copy(jpeg);
      return `data:${type};base64,${jpeg.toString('base64')}`;
    },
  });
  vi.stubGlobal('document', {createElement});
  return {decoded, encoded};
}

function pageOf(body: Uint8Array | null) {
  return {name: 'page', headerBytes: 0, requestBytes: 0, objects: [{url: '/a', contentType: 'image/png', body}]};
}

/** Bytes that begin like a PNG with this size in px. */
function png(width: number, height: number, bytes: number): Uint8Array {
  const body = Buffer.alloc(bytes);
  body.writeUInt32BE(0x89504e47, 0);
  body.writeUInt32BE(width, 16);
  body.writeUInt32BE(height, 20);
  return new Uint8Array(body);
}
