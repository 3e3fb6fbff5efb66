import type {Conversion} from '../page/conversion.ts';
import type {SetUp} from './pipeline.ts';
import type {SendBuffer} from './setting.ts';

/** `1 stream`, `10 streams`. */
export function streamsText(streams: number): string {
  return `${streams} stream${streams === 1 ? '' : 's'}`;
}

/** `1 connection`, `6 connections`. */
export function connectionsText(connections: number): string {
  return `${connections} connection${connections === 1 ? '' : 's'}`;
}

/** The sending rate of a server over datagrams. */
export function rateText(ratePercent: number): string {
  return `${ratePercent} % of the rate`;
}

/** A short text for a send buffer. */
export function bufferText(buffer: SendBuffer | null): string {
  if (buffer === null) return 'unlimited buffer';
  if ('bytes' in buffer) return `${buffer.bytes / 1000} KB buffer`;
  return `${buffer.objects}-object buffer`;
}

/** A short text for whether there is TLS. */
export function tlsText(tls: boolean): string {
  return tls ? 'TLS' : 'no TLS';
}

/** What TCP exchanges before the first GET. */
export function tcpSetUp(tls: boolean): SetUp {
  return {text: tls ? 'TCP, then TLS 1.3' : 'TCP without TLS', hasTls: tls};
}

/**
 * The client model for one multiplexing connection. No browser is modelled. The text holds for every scheduler, which
 * only decides the order of the responses.
 */
export const PLAIN_BROWSER = 'plain browser: asks for everything at once';

/** A short text for a scheduler. */
export function schedulerText(scheduler: string): string {
  return scheduler === 'scan-aware' ? 'scans first' : scheduler;
}

/** A short text for the conversion of a page's pictures. */
export function conversionText(conversion: Conversion | undefined): string {
  return conversion === undefined ? 'as served' : CONVERSION_TEXTS[conversion];
}

const CONVERSION_TEXTS = {progressive: 'progressive', webp: 'WebP', avif: 'AVIF'} as const;
