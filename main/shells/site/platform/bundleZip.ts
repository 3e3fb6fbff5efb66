import {Uint8ArrayReader, Uint8ArrayWriter, ZipWriter} from '@zip.js/zip.js/index-native.js';
import type {Bundle} from '../../../pages/store/bundle.ts';
import {DOCUMENT, documentText} from '../../../pages/store/bundleDocument.ts';

/** Replaces main/pages/store/bundleZip.ts in the web edition. The zip file opens as the same bundle. */
export async function bundleZip({files, document}: Bundle): Promise<Uint8Array> {
  const zip = new ZipWriter(new Uint8ArrayWriter(), {
    // every file has the bundle's date, so that the same bundle always gives the same zip
    lastModDate: new Date(document.date),
    extendedTimestamp: false,
    useWebWorkers: false,
  });
  for (const {path, bytes} of files) {
    await zip.add(path, new Uint8ArrayReader(bytes), {level: /\.(html|css|svg)$/.test(path) ? 6 : 0});
  }
  await zip.add(DOCUMENT, new Uint8ArrayReader(new TextEncoder().encode(documentText(document))));
  return zip.close();
}
