import type {Transports} from './transports.ts';

/**
 * Whether a server that interleaves responses should write more: as its transport sends, little ahead of the congestion
 * window. Whatever is in the send buffer can no longer be interleaved with a request that comes later.
 */
export function hasRoom(network: Pick<Transports, 'bufferedBytes' | 'cwndBytes'>, endpoint: number): boolean {
  return network.bufferedBytes(endpoint) < network.cwndBytes(endpoint) + READY_BYTES;
}

/** Four packets: what a stack may send in one burst (RFC 9260 §6.1, Max.Burst). */
const READY_BYTES = 4 * 1500;
