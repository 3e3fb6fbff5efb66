/**
 * The type of a bundle's object. It is recognised by the object's first bytes. The server's Content-Type counts only
 * for types that cannot be recognised by their first bytes.
 */
export interface MediaType {
  readonly type: string;
  /**
   * The extension of the object's file. When the page's folder is read, the type of the file is derived from its
   * extension.
   */
  readonly extension: string;
}

/** Recognises the type of a picture. Returns undefined if the bytes are not a picture that browsers show. */
export function imageType(bytes: Uint8Array, contentType: string): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 32)).toString('latin1');
  for (const [mark, extension] of IMAGE_MARKS) {
    const isMarked = typeof mark === 'string' ? head.startsWith(mark) : mark.test(head);
    if (isMarked) return {type: `image/${SUBTYPES[extension] ?? extension}`, extension};
  }
  if (/^image\/svg\+xml\b/.test(contentType)) return {type: 'image/svg+xml', extension: 'svg'};
  return undefined;
}

/** Recognises the type of a font. Returns undefined if the bytes are not a font that browsers accept. */
export function fontType(bytes: Uint8Array): MediaType | undefined {
  const mark = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  const extension = FONT_MARKS.get(mark);
  return extension === undefined ? undefined : {type: `font/${extension}`, extension};
}

/** The first bytes of each picture format, and its extension (WHATWG MIME Sniffing §6.1; AVIF §2). */
const IMAGE_MARKS: readonly (readonly [RegExp | string, string])[] = [
  [/^\xff\xd8\xff/, 'jpg'],
  [/^\x89PNG\r\n/, 'png'],
  [/^GIF8[79]a/, 'gif'],
  [/^RIFF....WEBP/s, 'webp'],
  [/^....ftypavi[fs]/s, 'avif'],
  [/^....ftypmif1/s, 'avif'],
  ['BM', 'bmp'],
  ['\0\0\x01\0', 'ico'],
];

/** Subtypes that differ from the extension, keyed by extension. */
const SUBTYPES: {readonly [extension: string]: string} = {jpg: 'jpeg', ico: 'x-icon'};

/**
 * The extension of each font format, keyed by the first bytes of the file (WHATWG MIME Sniffing §6.3). Only `true` is
 * not in that standard. Some TrueType fonts of Apple begin with it.
 */
const FONT_MARKS: ReadonlyMap<string, string> = new Map([
  ['wOF2', 'woff2'],
  ['wOFF', 'woff'],
  ['\0\x01\0\0', 'ttf'],
  ['true', 'ttf'],
  ['OTTO', 'otf'],
  ['ttcf', 'ttc'],
]);
