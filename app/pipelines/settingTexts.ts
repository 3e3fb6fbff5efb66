import type {Conversion} from '../page/conversion.ts';
import type {SetUp} from './pipeline.ts';
import type {CaptureKind, SendBuffer} from './setting.ts';

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
export function tcpSetUp({tls, ...visit}: {readonly tls: boolean} & VisitSettings): SetUp {
  return {text: tls ? `TCP, then TLS 1.3${resumptionText(visit)}` : 'TCP without TLS', hasTls: tls};
}

/** The settings of a pane that say how a TLS session begins. */
export interface VisitSettings {
  readonly visit: 'first' | 'again';
  readonly earlyData: boolean;
}

/** Returns a text that follows the name of TLS: how the session is resumed, or nothing on a first visit. */
export function resumptionText(settings: VisitSettings): string {
  if (settings.visit === 'first') return '';
  return hasEarlyData(settings) ? ', resumed with 0-RTT' : ', resumed';
}

/** Whether the first requests are sent before the handshake is complete. */
export function hasEarlyData({visit, earlyData}: VisitSettings): boolean {
  return visit === 'again' && earlyData;
}

/** Returns a short text for the certificate of a pane. It is empty if the setting has no effect. */
export function certificateText(
  {
    visit,
    profile,
    certificateCompression,
  }: VisitSettings & {readonly profile: string; readonly certificateCompression: boolean},
  tls: boolean,
): string {
  if (!tls || visit === 'again' || profile !== 'modern') return '';
  return certificateCompression ? 'compressed certificate' : 'certificate as it is';
}

/** Returns a short text for the visit of a pane with TLS. */
export function visitText(settings: VisitSettings): string {
  if (settings.visit === 'first') return 'first visit';
  return hasEarlyData(settings) ? 'second visit, 0-RTT' : 'second visit';
}

/**
 * The text for the client's behaviour on one multiplexing connection. No particular browser is modelled. The text is
 * the same for every scheduler, because schedulers only determine the order of the responses.
 */
export const PLAIN_BROWSER = 'plain browser: requests objects as it finds them';

/** Returns a short text for a scheduler. */
export function schedulerText(scheduler: string): string {
  return scheduler === 'scan-aware' ? 'scans first' : scheduler;
}

/** Returns a short text for the conversion of a page's pictures. */
export function conversionText(conversion: Conversion | undefined): string {
  return conversion === undefined ? 'as served' : CONVERSION_TEXTS[conversion];
}

const CONVERSION_TEXTS = {progressive: 'progressive', webp: 'WebP', avif: 'AVIF'} as const;

/** Says in which kind of file another program recorded a run. */
export function capturedText(kind: CaptureKind): string {
  return `captured (${kind})`;
}
