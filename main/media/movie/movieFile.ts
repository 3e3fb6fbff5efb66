import type {StreamTargetChunk} from 'mediabunny';
import {bytesOf} from '../../../app/base/bytes.ts';
import type {DecoderConfig, EncoderSettings, Packet} from '../../../app/telling/movie/movieStage.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {program} from '../../files/program.ts';

/**
 * A movie's file that is being written. Packets may be added in any order, and are written in the order of their
 * frames.
 */
export class MovieFile {
  readonly #file: OutputFile;
  readonly #container: Container;
  readonly #early = new Map<number, Packet>();
  #next = 0;
  #work = Promise.resolve();

  private constructor(file: OutputFile, container: Container) {
    this.#file = file;
    this.#container = container;
  }

  static async open(settings: EncoderSettings, frames: number, file: OutputFile): Promise<MovieFile> {
    return new MovieFile(file, await openContainer(settings, frames));
  }

  /**
   * Adds packets. Resolves when all packets before the first missing packet are written.
   * @throws FileError, for example if the disk is full
   */
  add(packets: readonly Packet[]): Promise<void> {
    for (const packet of packets) this.#early.set(packet.frame, packet);
    this.#work = this.#work.then(() => this.#addNext());
    return this.#work;
  }

  /** Completes the file. Call this after all frames were added. @throws FileError */
  async finish(): Promise<void> {
    await this.#work;
    await this.#container.end();
    await this.#write();
  }

  async #addNext(): Promise<void> {
    for (;;) {
      const packet = this.#early.get(this.#next);
      if (packet === undefined) break;
      this.#early.delete(this.#next++);
      await this.#container.add(packet);
    }
    await this.#write();
  }

  async #write(): Promise<void> {
    for (const {data, position} of this.#container.chunks.splice(0)) await this.#file.write(data, position);
  }
}

/** An MP4 or WebM container that mediabunny writes. */
interface Container {
  add(packet: Packet): Promise<void>;
  end(): Promise<void>;
  /** Pieces of the file that are not written yet. */
  readonly chunks: StreamTargetChunk[];
}

async function openContainer({container, fps}: EncoderSettings, frames: number): Promise<Container> {
  // mediabunny is loaded here, because stills do not need it
  const {EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, StreamTarget, WebMOutputFormat} =
    await import('mediabunny');
  const chunks: StreamTargetChunk[] = [];
  const target = new StreamTarget(new WritableStream({write: chunk => void chunks.push(chunk)}));
  // MP4 reserves room for the index at the start, so that a browser can play the file while it loads
  const format = container === 'mp4' ? new Mp4OutputFormat({fastStart: 'reserve'}) : new WebMOutputFormat();
  const output = new Output({format, target});
  const source = new EncodedVideoPacketSource(container === 'mp4' ? 'avc' : 'vp9');
  output.addVideoTrack(source, {frameRate: fps, maximumPacketCount: frames});
  // the program is named in a comment, because in WebM mediabunny names itself as the writing program
  output.setMetadataTags({comment: program()});
  await output.start();
  const add = ({frame, isKey, bytes, decoder}: Packet): Promise<void> => {
    const data = bytesOf(atob(bytes));
    const packet = new EncodedPacket(data, isKey ? 'key' : 'delta', frame / fps, 1 / fps);
    return source.add(packet, decoder === null ? undefined : {decoderConfig: configOf(decoder)});
  };
  return {add, end: () => output.finalize(), chunks};
}

function configOf({description, colorSpace, ...config}: DecoderConfig) {
  return {
    ...config,
    ...(colorSpace !== null && {colorSpace}),
    ...(description !== null && {description: bytesOf(atob(description))}),
  };
}
