import type {BlockedColumns, ChunkColumns, PacketColumns, SampleColumns} from '../../../app/run/trace/columns.ts';

const [NO_BYTES, NO_WORDS, NO_NUMBERS] = [new Uint8Array(0), new Uint32Array(0), new Float64Array(0)];

/** The kernel's TCP connections show no packets. */
export const NO_PACKETS: PacketColumns = {
  endpoint: NO_WORDS,
  direction: NO_BYTES,
  bytes: NO_WORDS,
  sentNs: NO_NUMBERS,
  fate: NO_BYTES,
  fateNs: NO_NUMBERS,
  kind: NO_BYTES,
  cumulativeAck: NO_NUMBERS,
};

export const NO_CHUNKS: ChunkColumns = {
  packet: NO_WORDS,
  first: NO_NUMBERS,
  bytes: NO_WORDS,
  stream: NO_WORDS,
  message: NO_WORDS,
  retransmission: NO_BYTES,
};

export const NO_SAMPLES: SampleColumns = {
  atNs: NO_NUMBERS,
  endpoint: NO_WORDS,
  cwndBytes: NO_NUMBERS,
  ssthreshBytes: NO_NUMBERS,
  flightBytes: NO_NUMBERS,
  srttNs: NO_NUMBERS,
  rtoNs: NO_NUMBERS,
  state: NO_BYTES,
  timeouts: NO_WORDS,
  probes: NO_WORDS,
};

export const NO_BLOCKED: BlockedColumns = {
  endpoint: NO_WORDS,
  stream: NO_WORDS,
  first: NO_NUMBERS,
  bytes: NO_WORDS,
  startNs: NO_NUMBERS,
  endNs: NO_NUMBERS,
};
