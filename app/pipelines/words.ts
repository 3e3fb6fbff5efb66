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

/** How fast a server over datagrams sends. */
export function rateText(ratePercent: number): string {
  return `${ratePercent} % of the rate`;
}

/** A send buffer in short. */
export function bufferText(buffer: SendBuffer | null): string {
  if (buffer === null) return 'unlimited buffer';
  if ('bytes' in buffer) return `${buffer.bytes / 1000} KB buffer`;
  return `${buffer.objects}-object buffer`;
}

/** Whether there is TLS. */
export function tlsText(tls: boolean): string {
  return tls ? 'TLS' : 'no TLS';
}

/** What TCP exchanges before a GET can go. */
export function tcpSetUp(tls: boolean): SetUp {
  return {text: tls ? 'TCP, then TLS 1.3' : 'TCP without TLS', hasTls: tls};
}

/**
 * What asks for objects over one connection that multiplexes: nobody's browser is modelled. It is true of every
 * scheduler, which says in which order the responses come.
 */
export const PLAIN_BROWSER = 'plain browser: asks for everything at once';

/** A scheduler in short. */
export function schedulerText(scheduler: string): string {
  return scheduler === 'scan-aware' ? 'scans first' : scheduler;
}

/** Of a page's pictures, in short. */
export function conversionText(conversion: Conversion | undefined): string {
  return conversion === undefined ? 'as served' : CONVERSION_TEXTS[conversion];
}

const CONVERSION_TEXTS = {progressive: 'progressive', webp: 'WebP', avif: 'AVIF'} as const;
