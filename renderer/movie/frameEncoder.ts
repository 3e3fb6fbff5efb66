import {
  type EncodedPacket,
  Mp4OutputFormat,
  NullTarget,
  Output,
  QUALITY_VERY_HIGH,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';
import {messageOf} from '../../app/base/text.ts';
import {
  type EncoderAnswer,
  type EncoderSettings,
  KEY_FRAME_S,
  type Packet,
} from '../../app/telling/movie/movieStage.ts';

/**
 * Encodes frames with WebCodecs. Each second begins with a key frame. No frame refers to a frame before the last key
 * frame.
 */
export class FrameEncoder {
  readonly #fps: number;
  readonly #output: Output;
  readonly #source: VideoSampleSource;
  readonly #packets: Packet[] = [];

  private constructor({container, fps}: EncoderSettings) {
    this.#fps = fps;
    // the output is discarded: only its packets are used, and the caller writes the file
    const format = container === 'mp4' ? new Mp4OutputFormat({fastStart: false}) : new WebMOutputFormat();
    this.#output = new Output({format, target: new NullTarget()});
    this.#source = new VideoSampleSource({
      codec: container === 'mp4' ? 'avc' : 'vp9',
      quality: QUALITY_VERY_HIGH,
      keyFrameInterval: KEY_FRAME_S,
      onEncodedPacket: (packet, meta) => this.#packets.push(packetOf(packet, meta, fps)),
    });
    this.#output.addVideoTrack(this.#source, {frameRate: fps});
  }

  /** Opens an encoder after a trial with one frame. @throws Error if a frame of this size cannot be encoded. */
  static async open(settings: EncoderSettings): Promise<FrameEncoder> {
    const {width, height} = settings.size;
    const canvas = new OffscreenCanvas(width, height);
    // a canvas that never had a context cannot be encoded
    canvas.getContext('2d')?.fillRect(0, 0, width, height);
    const trial = await FrameEncoder.#start(settings);
    await trial.add(0, canvas);
    await trial.close();
    return FrameEncoder.#start(settings);
  }

  static async #start(settings: EncoderSettings): Promise<FrameEncoder> {
    const encoder = new FrameEncoder(settings);
    await encoder.#output.start();
    return encoder;
  }

  /**
   * Encodes a frame. Resolves when the encoder is ready for the next frame. Frames must be added in order. Numbers may
   * be missing, because other encoders may encode those frames.
   */
  async add(frame: number, picture: CanvasImageSource): Promise<void> {
    const fps = this.#fps;
    const sample = new VideoSample(picture, {timestamp: frame / fps, duration: 1 / fps});
    await this.#source.add(sample, {keyFrame: frame % (fps * KEY_FRAME_S) === 0});
    sample.close();
  }

  /** Returns the packets that were encoded since the last call. */
  takePackets(): readonly Packet[] {
    return this.#packets.splice(0);
  }

  /** Ends the encoding. Returns the last packets. */
  async close(): Promise<readonly Packet[]> {
    await this.#output.finalize();
    return this.takePackets();
  }
}

/** Opens an encoder and passes it to `keep`. The answer says whether this succeeded. */
export async function openEncoder(
  settings: EncoderSettings,
  keep: (encoder: FrameEncoder) => void,
): Promise<EncoderAnswer> {
  try {
    keep(await FrameEncoder.open(settings));
    return {ok: true};
  } catch (error) {
    return {ok: false, message: messageOf(error)};
  }
}

function packetOf(
  {timestamp, type, data}: EncodedPacket,
  meta: EncodedVideoChunkMetadata | undefined,
  fps: number,
): Packet {
  const config = meta?.decoderConfig;
  const frame = Math.round(timestamp * fps);
  const packet = {frame, isKey: type === 'key', bytes: base64Of(data)};
  if (config === undefined) return {...packet, decoder: null};
  const {codec, codedWidth = 0, codedHeight = 0, colorSpace = null, description} = config;
  return {
    ...packet,
    decoder: {
      codec,
      codedWidth,
      codedHeight,
      colorSpace: colorSpace === null ? null : plain(colorSpace),
      description: description === undefined ? null : base64Of(bytesOf(description)),
    },
  };
}

/** Copies a `VideoColorSpace` to a plain object, because only plain objects can be sent. */
function plain({primaries, transfer, matrix, fullRange}: VideoColorSpaceInit): object {
  return {primaries, transfer, matrix, fullRange};
}

function bytesOf(source: AllowSharedBufferSource): Uint8Array {
  if (ArrayBuffer.isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  return new Uint8Array(source);
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + SLICE_BYTES));
  }
  return btoa(text);
}

/** How many bytes are passed as arguments of one call. Every browser accepts so many arguments. */
const SLICE_BYTES = 32_768;
