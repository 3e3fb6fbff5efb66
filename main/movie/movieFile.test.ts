import {expect, test} from 'vitest';
import type {Packet} from '../../app/movie/stage.ts';
import type {OutputFile} from '../files/outputFile.ts';
import {MovieFile} from './movieFile.ts';

const settings = {container: 'webm', size: {width: 640, height: 360}, fps: 24} as const;

test('packets are written in the order of their frames, whenever they come', async () => {
  const packets = Array.from({length: 6}, (_, frame) => packet(frame));
  const inOrder = await written(packets.map(each => [each]));
  const [a, b, c, d, e, f] = packets as [Packet, Packet, Packet, Packet, Packet, Packet];
  expect(await written([[d], [a, f], [e, b], [c]])).toEqual(inOrder);
  expect(await written([[f, e, d, c, b, a]])).toEqual(inOrder);
  const places = packets.map(({bytes}) => inOrder.indexOf(Buffer.from(bytes, 'base64')));
  expect(Math.min(...places)).toBeGreaterThan(0);
  expect(places).toEqual(places.toSorted((x, y) => x - y));
});

function packet(frame: number): Packet {
  const decoder = {
    ...{codec: 'vp09.00.10.08', codedWidth: 640, codedHeight: 360},
    ...{colorSpace: null, description: null},
  };
  const bytes = Buffer.from(`bytes of frame ${frame}`).toString('base64');
  return {frame, isKey: frame % 3 === 0, bytes, decoder: frame % 3 === 0 ? decoder : null};
}

/** The file, of packets that come together. */
async function written(calls: readonly (readonly Packet[])[]): Promise<Buffer> {
  const bytes = Buffer.alloc(10_000);
  const file: Pick<OutputFile, 'write'> = {
    write: async (data, position) => {
      bytes.set(data, position);
    },
  };
  const movie = await MovieFile.open(settings, 6, file as OutputFile);
  for (const packets of calls) await movie.add(packets);
  await movie.finish();
  return bytes;
}
