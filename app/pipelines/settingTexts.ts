import type {Conversion} from '../page/conversion.ts';
import type {SetUp} from './pipeline.ts';
import type {SendBuffer} from './setting.ts';

/** Returns the number with the noun: `1 stream`, `10 streams`. */
export function streamsText(streams: number): string {
  return `${streams} stream${streams === 1 ? '' : 's'}`;
}

/** Returns the number with the noun: `1 connection`, `6 connections`. */
export function connectionsText(connections: number): string {
  return `${connections} connection${connections === 1 ? '' : 's'}`;
}

/** Returns a short text for the sending rate of a server that sends bare datagrams. */
export function rateText(ratePercent: number): string {
  return `${ratePercent} % of the link rate`;
}

/** Returns a short text for a send buffer. */
export function bufferText(buffer: SendBuffer | null): string {
  if (buffer === null) return 'unlimited buffer';
  if ('bytes' in buffer) return `${buffer.bytes / 1000} KB buffer`;
  return `${buffer.objects}-object buffer`;
}

/** Returns a short text that states whether a connection uses TLS. */
export function tlsText(tls: boolean): string {
  return tls ? 'TLS' : 'no TLS';
}

/** Returns what the ends exchange over TCP before the first GET. */
export function tcpSetUp(tls: boolean): SetUp {
  return {text: tls ? 'TCP, then TLS 1.3' : 'TCP without TLS', hasTls: tls};
}

/**
 * The text for the client's behaviour on one multiplexing connection. No particular browser is modelled. The text is
 * the same for every scheduler, because schedulers only determine the order of the responses.
 */
export const PLAIN_BROWSER = 'plain browser: requests all objects at once';

/** Returns a short text for a scheduler. */
export function schedulerText(scheduler: string): string {
  return scheduler === 'scan-aware' ? 'scans first' : scheduler;
}

/** Returns a short text for the conversion of a page's pictures. */
export function conversionText(conversion: Conversion | undefined): string {
  return conversion === undefined ? 'as served' : CONVERSION_TEXTS[conversion];
}

const CONVERSION_TEXTS = {progressive: 'progressive', webp: 'WebP', avif: 'AVIF'} as const;
