import {ALL_FORMATS, BufferSource, Input} from 'mediabunny';
import {expect, test} from 'vitest';
import type {DecoderConfig, EncoderSettings, Packet} from '../../../app/telling/movie/movieStage.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';
import {MovieFile} from './movieFile.ts';

const settings = {container: 'webm', size: {width: 640, height: 360}, fps: 24} as const;

test('packets are written in the order of their frames, no matter in which order they are added', async () => {
  const packets = Array.from({length: 6}, (_, frame) => packet(frame));
  const inOrder = await written(packets.map(each => [each]));
  const [a, b, c, d, e, f] = packets as [Packet, Packet, Packet, Packet, Packet, Packet];
  expect(await written([[d], [a, f], [e, b], [c]])).toEqual(inOrder);
  expect(await written([[f, e, d, c, b, a]])).toEqual(inOrder);
  const places = packets.map(({bytes}) => inOrder.indexOf(Buffer.from(bytes, 'base64')));
  expect(Math.min(...places)).toBeGreaterThan(0);
  expect(places).toEqual(places.toSorted((x, y) => x - y));
});

test.each(['webm', 'mp4'] as const)('a %s names the program that wrote it', async container => {
  const packets = Array.from({length: 6}, (_, frame) => packet(frame, container === 'mp4' ? AVC : VP9));
  const file = await written([packets], {...settings, container});
  const input = new Input({source: new BufferSource(file), formats: ALL_FORMATS});
  expect(await input.getMetadataTags()).toMatchObject({comment: program()});
});

const VP9 = {codec: 'vp09.00.10.08', description: null};
/** H.264 with the smallest possible decoder configuration record (ISO/IEC 14496-15 §5.3.3.1). */
const AVC = {codec: 'avc1.42c01e', description: Buffer.from('0142c01effe00000', 'hex').toString('base64')};

function packet(frame: number, config = VP9 as Pick<DecoderConfig, 'codec' | 'description'>): Packet {
  const decoder = {codedWidth: 640, codedHeight: 360, colorSpace: null, ...config};
  const bytes = Buffer.from(`bytes of frame ${frame}`).toString('base64');
  return {frame, isKey: frame % 3 === 0, bytes, decoder: frame % 3 === 0 ? decoder : null};
}

/** Makes a file. Each of `calls` holds the packets of one call of `add`. */
async function written(calls: readonly (readonly Packet[])[], own: EncoderSettings = settings): Promise<Buffer> {
  const bytes = Buffer.alloc(10_000);
  const file: Pick<OutputFile, 'write'> = {
    write: async (data, position) => {
      bytes.set(data, position);
    },
  };
  const movie = await MovieFile.open(own, 6, file as OutputFile);
  for (const packets of calls) await movie.add(packets);
  await movie.finish();
  return bytes;
}
