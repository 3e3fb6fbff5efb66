import type {Transports} from './transports.ts';

/**
 * What a server that interleaves responses should write more, above 0, as its transport sends, little ahead of the
 * congestion window. Whatever is in the send buffer can no longer be interleaved with a request that comes later.
 */
export function roomBytes(
  network: Pick<Transports, 'bufferedBytes' | 'cwndBytes'>,
  endpoint: number,
): number {
  return network.cwndBytes(endpoint) + READY_BYTES - network.bufferedBytes(endpoint);
}

/** Four packets: what a stack may send in one burst (RFC 9260 §6.1, Max.Burst). */
const READY_BYTES = 4 * 1500;
