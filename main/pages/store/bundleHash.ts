import {createHash} from 'node:crypto';
import type {BundleFile, BundleObject} from './bundle.ts';

/**
 * Names a bundle by its content. The name is the SHA-256 of the lines that sha256sum prints for the bundle's files, in
 * order of their paths. The name does not depend on where and when the page was fetched.
 */
export function bundleHash(objects: readonly Pick<BundleObject, 'file' | 'sha256'>[]): string {
  const lines = objects.map(({file, sha256}) => `${sha256}  ${file}\n`);
  // The paths are ASCII, so `<` sorts them in the same way on every machine, whatever its language is.
  const pathOf = (line: string): string => line.slice(66);
  return sha256(lines.sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1)).join(''));
}

/**
 * Finds the first file that does not agree with the document, and returns its path. The file may have other content
 * than the document says, the document may not name it, or it may be missing. Returns undefined if all files agree.
 */
export function differingFile(files: readonly BundleFile[], objects: readonly BundleObject[]): string | undefined {
  const unseen = new Map(objects.map(object => [object.file, object]));
  const differing = files.find(({path, bytes}) => {
    const object = unseen.get(path);
    unseen.delete(path);
    return object?.bytes !== bytes.length || object.sha256 !== sha256(bytes);
  });
  if (differing !== undefined) return differing.path;
  if (objects.length !== files.length) return [...unseen.keys()][0] ?? objects[0]?.file;
  return undefined;
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
