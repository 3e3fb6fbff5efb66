import type {CaptureKind} from '../pipelines/setting.ts';
import {readKeyLog} from './keyLog.ts';

/** The format of a file from another program: a kind of capture, or `keys` for a key log (SSLKEYLOGFILE). */
export type CaptureFormat = CaptureKind | 'keys';

/**
 * Recognises a capture or a key log by its content. The name of the file does not matter. `file` is the whole file or
 * at least its first {@link SNIFFED_BYTES} bytes. Undefined if the file is neither a capture nor a key log.
 */
export function captureFormat(file: Uint8Array): CaptureFormat | undefined {
  const [first = 0] = file;
  const magic = file.length < 4 ? 0 : new DataView(file.buffer, file.byteOffset, 4).getUint32(0);
  if (PCAP_MAGICS.includes(magic)) return 'pcap';
  const text = new TextDecoder().decode(file.subarray(0, SNIFFED_BYTES)).replace(/^\ufeff/, '');
  if (first === RECORD_SEPARATOR) return QLOG.test(text) ? 'qlog' : undefined;
  if (/^\s*\{/.test(text)) return KINDS.find(([, pattern]) => pattern.test(text))?.[0];
  return readKeyLog(text).size > 0 ? 'keys' : undefined;
}

/**
 * The number of bytes at the beginning of a file by which its format is recognised. It is more than the 70 kB of
 * constants at the beginning of a network log of Chromium.
 */
const SNIFFED_BYTES = 200_000;

/** pcapng (draft-ietf-opsawg-pcapng §4.1), and pcap in µs and ns and in both byte orders (draft-ietf-opsawg-pcap §4). */
const PCAP_MAGICS: readonly number[] = [0x0a0d0d0a, 0xa1b2c3d4, 0xd4c3b2a1, 0xa1b23c4d, 0x4d3cb2a1];

/** The separator of a JSON text sequence (RFC 7464 §2.2). */
const RECORD_SEPARATOR = 0x1e;

const QLOG = /"qlog_(version|format)"\s*:|"file_schema"\s*:\s*"urn:ietf:params:qlog/;

/**
 * The patterns by which captures in JSON are recognised. The first pattern that matches counts. Network logs come
 * first, because the text of their events may match the other patterns.
 */
const KINDS: readonly (readonly [kind: CaptureKind, pattern: RegExp])[] = [
  ['netlog', /^\s*\{\s*"constants"\s*:/],
  ['netlog', /"logEventTypes"\s*:/],
  ['har', /^\s*\{\s*"log"\s*:/],
  ['qlog', QLOG],
];

// Browsers and Node have this class (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new () => {decode(bytes: Uint8Array): string};
