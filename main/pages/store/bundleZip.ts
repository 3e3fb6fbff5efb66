import {ZipFile} from 'yazl';
import type {Bundle} from './bundle.ts';
import {DOCUMENT, documentText} from './bundleDocument.ts';

/**
 * Makes a zip file of a bundle's folder. The zip file opens as the same bundle. HTML, style sheets, SVG and
 * `bundle.json` are compressed. All other files are stored as they are.
 */
export async function bundleZip({files, document}: Bundle): Promise<Uint8Array> {
  const zip = new ZipFile();
  // every file has the bundle's date, so that the same bundle always gives the same zip
  const mtime = new Date(document.date);
  const options = {mtime, mode: 0o100644, forceDosTimestamp: true};
  for (const {path, bytes} of files) {
    zip.addBuffer(Buffer.from(bytes), path, {...options, compress: /\.(html|css|svg)$/.test(path)});
  }
  zip.addBuffer(Buffer.from(documentText(document)), DOCUMENT, options);
  zip.end();
  const pieces: Buffer[] = [];
  for await (const piece of zip.outputStream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}
