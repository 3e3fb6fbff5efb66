import {FetchError} from '../base/fetchError.ts';
import {GATEWAY_LIMITS} from '../base/limits.ts';
import type {Bundle, BundleFile} from '../store/bundle.ts';
import {DOCUMENT, INDEX, readBundleDocument} from '../store/bundleDocument.ts';
import {differingFile} from '../store/bundleHash.ts';
import type {FileSet} from './fileSet.ts';

/**
 * The bundle that these files are, as `fetch` and 'save page' write it. It keeps its hash. Undefined if they are no
 * bundle, or have changed since.
 */
export async function savedBundle(files: FileSet): Promise<Bundle | undefined> {
  if (!files.paths.includes(INDEX)) return undefined;
  try {
    const json = await files.read(DOCUMENT, GATEWAY_LIMITS.pageBytes);
    const document = json && readBundleDocument(json);
    if (document === undefined || document.objects.length > GATEWAY_LIMITS.objects + 1) return undefined;
    const read: BundleFile[] = [];
    let bytes = 0;
    for (const {file: path, ...object} of document.objects) {
      bytes += object.bytes;
      if (bytes > GATEWAY_LIMITS.pageBytes) return undefined;
      const found = await files.read(path, GATEWAY_LIMITS.objectBytes);
      if (found === undefined) return undefined;
      read.push({path, bytes: found});
    }
    return differingFile(read, document.objects) === undefined ? {files: read, document} : undefined;
  } catch (error) {
    if (error instanceof FetchError) return undefined;
    throw error;
  }
}
