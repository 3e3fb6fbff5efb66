import {escapeMarkup} from '../../../app/base/text.ts';
import type {RecordedType} from '../../../app/page/recording.ts';
import {withoutFragment} from '../base/absoluteAddress.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import type {ObservedRequest} from '../record/traceRequests.ts';

/**
 * Makes HTML that takes the place of a page's real HTML, whose content was not recorded. The new HTML names the style
 * sheets, scripts, fonts and pictures that the browser found in the real HTML. If there is room for a comment, a
 * comment fills the new HTML up to the recorded size. `from` says what the page was made from.
 */
export function placeholderHtml(document: ObservedRequest, requests: readonly ObservedRequest[], from: string): string {
  const found = requests.filter(
    ({cause, waitMs}) =>
      cause.by === 'html' && withoutFragment(cause.address) === withoutFragment(document.address) && waitMs === 0,
  );
  const tags = (types: readonly RecordedType[]) =>
    found
      .filter(({type}) => types.includes(type))
      .map(each => tagOf(each, escapeMarkup(withoutFragment(each.address))));
  const head = tags(['style', 'script', 'font']);
  const start = `<!DOCTYPE html><title>${escapeMarkup(withoutFragment(document.address))}</title>${head.join('')}<body>`;
  const page = `${start}<p>This page was made from ${from}.</p>${tags(['image']).join('')}`;
  const missing = sizeOf(document) - Buffer.byteLength(page) - '<!---->'.length;
  return missing < 0 ? page : `${page}<!--${' '.repeat(missing)}-->`;
}

function tagOf({type, blocking}: ObservedRequest, address: string): string {
  switch (type) {
    case 'style':
      return `<link rel="stylesheet" href="${address}">`;
    case 'script':
      return `<script${blocking ? '' : ' async'} src="${address}"></script>`;
    case 'font':
      return `<link rel="preload" as="font" crossorigin href="${address}">`;
    default:
      return `<img src="${address}">`;
  }
}

/**
 * Returns a body of the given size, which consists of spaces. A picture begins with the GIF of a transparent pixel, and
 * a font with the first bytes of a WOFF2 file. If the size is smaller than this beginning, the body is the beginning.
 */
export function placeholder(type: RecordedType, size: number): Uint8Array {
  const first = BEGINNINGS[type] ?? EMPTY;
  const body = Buffer.alloc(Math.max(size, first.length), ' ');
  body.set(first);
  return body;
}

/** Size of the placeholder of a request's answer, in bytes. */
export function sizeOf({bytes: {decoded, encoded}}: ObservedRequest): number {
  const size = Math.round(decoded > 0 ? decoded : encoded);
  return Number.isFinite(size) ? Math.min(Math.max(size, 0), GATEWAY_LIMITS.objectBytes + 1) : 0;
}

const EMPTY = Buffer.alloc(0);

const BEGINNINGS: {readonly [type in RecordedType]?: Uint8Array} = {
  image: Buffer.from('R0lGODlhAQABAIAAAAAAAAAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64'),
  font: Buffer.from('wOF2\0\x01\0\0', 'latin1'),
};

/** The media types of placeholders. */
export const CONTENT_TYPES: {readonly [type in RecordedType]: string} = {
  document: 'text/html; charset=utf-8',
  style: 'text/css; charset=utf-8',
  script: 'text/javascript; charset=utf-8',
  image: 'image/gif',
  font: 'font/woff2',
  media: 'application/octet-stream',
  data: 'application/json',
  other: 'application/octet-stream',
};
