import {ZipFile} from 'yazl';

// Makes saved pages for tests, in the formats of browsers and archivers.

export interface Saved {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export async function zipOf(files: readonly Saved[]): Promise<Uint8Array> {
  const zip = new ZipFile();
  for (const {path, bytes} of files) zip.addBuffer(Buffer.from(bytes), path, {mtime: new Date(0)});
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Makes a HAR file as Chromium saves it: texts are stored as text, and all other files in base64. */
export function harOf(files: readonly Saved[], origin = 'https://a.test/'): Uint8Array {
  const entries = files.map(({path, bytes}) => ({
    request: {method: 'GET', url: origin + encodeURI(path)},
    response: {
      status: 200,
      redirectURL: '',
      content: {
        mimeType: typeOf(path),
        ...(isText(path)
          ? {text: Buffer.from(bytes).toString()}
          : {text: Buffer.from(bytes).toString('base64'), encoding: 'base64'}),
      },
    },
  }));
  return Buffer.from(JSON.stringify({log: {version: '1.2', entries}}));
}

/**
 * Makes an MHTML file as Chromium saves it: texts are in quoted-printable, all other files in base64, and each has its
 * address.
 */
export function mhtmlOf(files: readonly Saved[], origin = 'https://a.test/'): Uint8Array {
  const parts = files.map(({path, bytes}) => {
    const body = Buffer.from(bytes);
    const [encoding, text] = isText(path)
      ? ['quoted-printable', quoted(body)]
      : ['base64', body.toString('base64').replace(/.{76}/g, '$&\r\n')];
    const head = [
      `Content-Type: ${typeOf(path)}`,
      `Content-ID: <${encodeURI(path)}@mhtml.test>`,
      `Content-Transfer-Encoding: ${encoding}`,
      `Content-Location: ${origin}${encodeURI(path)}`,
    ];
    return `------Boundary----\r\n${head.join('\r\n')}\r\n\r\n${text}\r\n`;
  });
  const head = [
    'From: <Saved by Blink>',
    `Snapshot-Content-Location: ${origin}`,
    'Subject: a page',
    'MIME-Version: 1.0',
    'Content-Type: multipart/related;\r\n\ttype="text/html";\r\n\tboundary="----Boundary----"',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n\r\n${parts.join('')}------Boundary------\r\n`);
}

/** Quoted-printable (RFC 2045 §6.7), in lines of at most 76 characters. */
function quoted(bytes: Buffer): string {
  let [text, column] = ['', 0];
  for (const byte of bytes) {
    const isPlain = byte > 31 && byte < 127 && byte !== 61;
    const next = isPlain ? String.fromCharCode(byte) : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    if (byte === 10) [text, column] = [`${text}\r\n`, 0];
    else {
      if (column + next.length > 75) [text, column] = [`${text}=\r\n`, 0];
      text += next;
      column += next.length;
    }
  }
  return text;
}

function isText(path: string): boolean {
  return /\.(html|css|svg)$/.test(path);
}

function typeOf(path: string): string {
  const types: {readonly [extension: string]: string} = {
    html: 'text/html',
    css: 'text/css',
    svg: 'image/svg+xml',
    png: 'image/png',
    jpg: 'image/jpeg',
  };
  return types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}
