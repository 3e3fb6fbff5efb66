import type {RecordedPacket} from '../../app/captures/recordedPacket.ts';
import type {CaptureTexts} from '../../native/addon/index.js';

/** A capture file, as far as it could be read. */
export interface CaptureFile {
  /** The packets in order of time. Their data share the memory of the file. */
  readonly packets: readonly RecordedPacket[];
  /** The key logs that the file contains. Empty if it has none. */
  readonly keys: string;
  /** What could not be read, as sentences for users. */
  readonly notes: readonly string[];
}

/**
 * Reads a file of the format pcapng or pcap.
 * @throws Error with the code `INVALID_ARGUMENT` and one line for the user, if the bytes are no such file or exceed a
 * limit
 */
export async function readCaptureFile(file: Uint8Array): Promise<CaptureFile> {
  // the addon is loaded only here, so that the window also starts if it cannot be loaded
  const addon = await import('../../native/addon/index.js');
  const {atNs, bytes, start, length, way, interface: names, comment, texts} = addon.readCapture(file);
  const {texts: list, keys, notes} = JSON.parse(Buffer.from(texts).toString()) as CaptureTexts;
  const textAt = (index: number | undefined): string => list[index ?? 0] ?? '';
  const packets = Array.from(atNs, (at, row): RecordedPacket => {
    const from = start[row] ?? 0;
    return {
      row,
      atNs: at,
      bytes: bytes[row] ?? 0,
      way: WAYS[way[row] ?? 0],
      data: file.subarray(from, from + (length[row] ?? 0)),
      comment: textAt(comment[row]),
      interface: textAt(names[row]),
    };
  });
  return {packets, keys, notes};
}

/** The directions of packets. `way` has the index in this list, and index 0 means that the file does not say it. */
const WAYS = [undefined, 'received', 'sent'] as const;
