/// <reference path="./html-encoding-sniffer.d.ts" />
import sniffEncoding from 'html-encoding-sniffer';

/**
 * Decodes an HTML document as browsers do. The encoding is taken from the byte order mark, else from the server's
 * Content-Type, else from the document itself. If none of them names an encoding, the document is read as UTF-8 if its
 * bytes are valid UTF-8, and otherwise as windows-1252.
 */
export function readHtml(bytes: Uint8Array, contentType: string): string {
  const transportLayerEncodingLabel = charsetOf(contentType);
  // most pages that do not name their encoding are UTF-8 today
  const defaultEncoding = isUtf8(bytes) ? 'UTF-8' : 'windows-1252';
  return new TextDecoder(
    sniffEncoding(bytes, {
      defaultEncoding,
      ...(transportLayerEncodingLabel === undefined ? {} : {transportLayerEncodingLabel}),
    }),
  ).decode(bytes);
}

/** Decodes a style sheet (CSS Syntax 3 §3.2). A byte order mark overrides the server's Content-Type. */
export function readCss(bytes: Uint8Array, contentType: string): string {
  const marked = markedEncoding(bytes);
  if (marked !== undefined) return new TextDecoder(marked).decode(bytes);
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const own = /^@charset "([^"]*)";/.exec(start)?.[1];
  // a text whose @charset can be read as ASCII is not UTF-16; if this @charset names UTF-16, the text counts as UTF-8
  const said = charsetOf(contentType) ?? (/^utf-16/i.test(own ?? '') ? 'utf-8' : own);
  return decoderOf(said ?? (isUtf8(bytes) ? 'utf-8' : 'windows-1252')).decode(bytes);
}

/**
 * The encoding that the byte order mark names (WHATWG Encoding §6, 'BOM sniff'). Returns undefined if there is none.
 */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  return utf8Text(bytes) !== undefined;
}

/** Decodes UTF-8. Returns undefined if the bytes are not valid UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    return undefined;
  }
}
