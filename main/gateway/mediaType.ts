import sharp from 'sharp';

/** What a bundle's object is, by its content: a server's word counts only where content has no mark of its own. */
export interface MediaType {
  readonly type: string;
  /** Its file's, by which a page's folder is read. */
  readonly extension: string;
}

/** Undefined if the bytes are no picture that browsers show. */
export function imageType(bytes: Uint8Array, contentType: string): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, 32)).toString('latin1');
  for (const [pattern, extension] of IMAGE_MARKS) {
    if (pattern.test(head)) return {type: `image/${extension === 'jpg' ? 'jpeg' : extension}`, extension};
  }
  if (/^image\/svg\+xml\b/.test(contentType)) return {type: 'image/svg+xml', extension: 'svg'};
  return undefined;
}

/** Undefined if the bytes are no font that browsers take. */
export function fontType(bytes: Uint8Array): MediaType | undefined {
  const mark = Buffer.from(bytes.subarray(0, 4)).toString('latin1');
  const extension = FONT_MARKS.get(mark);
  return extension === undefined ? undefined : {type: `font/${extension}`, extension};
}

/** Width · height, as a picture's header says; undefined where there is none that can be read. */
export async function pixelsOf(bytes: Uint8Array): Promise<{width: number; height: number} | undefined> {
  try {
    const {width, height} = await sharp(bytes, {limitInputPixels: false}).metadata();
    return {width, height};
  } catch {
    return undefined;
  }
}

/** By its first bytes (WHATWG MIME Sniffing §6.1; AVIF §2). */
const IMAGE_MARKS: readonly (readonly [RegExp, string])[] = [
  [/^\xff\xd8\xff/, 'jpg'],
  [/^\x89PNG\r\n/, 'png'],
  [/^GIF8[79]a/, 'gif'],
  [/^RIFF....WEBP/s, 'webp'],
  [/^....ftypavi[fs]/s, 'avif'],
  [/^....ftypmif1/s, 'avif'],
];

/** WHATWG MIME Sniffing §6.4. */
const FONT_MARKS: ReadonlyMap<string, string> = new Map([
  ['wOF2', 'woff2'],
  ['wOFF', 'woff'],
  ['\0\x01\0\0', 'ttf'],
  ['true', 'ttf'],
  ['OTTO', 'otf'],
  ['ttcf', 'ttc'],
]);
