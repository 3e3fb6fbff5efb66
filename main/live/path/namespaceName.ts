import {mkdirSync, readlinkSync, symlinkSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';

/** Thrown if the network namespace cannot be created under this name. */
export class NamespaceError extends Error {
  override readonly name = 'NamespaceError';
}

/** Whether a namespace may have this name: it must be a file name without characters that are special in a shell. */
export function isNamespaceName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(name);
}

/**
 * Gives a network namespace a name by which `ip netns exec` finds it (ip-netns(8)). `file` is the namespace's file
 * below `/proc`. The name is a link to that file; the namespace itself ends with this process. A dead link, which a
 * killed process has left, is replaced. Returns a function that removes the name.
 * @throws NamespaceError if the name is in use
 */
export function nameNamespace(name: string, file: string, folder = FOLDER): () => void {
  const link = join(folder, name);
  mkdirSync(folder, {recursive: true});
  if (isLeftOver(link)) unlinkSync(link);
  try {
    symlinkSync(file, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new NamespaceError(`there is a namespace ${name} already (${link}): choose another name`);
  }
  return () => {
    if (target(link) === file) unlinkSync(link);
  };
}

/** Whether the link was made by a process of this program that has ended. */
function isLeftOver(link: string): boolean {
  const file = target(link);
  return file !== undefined && /^\/proc\/\d+\/fd\/\d+$/.test(file) && target(file)?.startsWith('net:') !== true;
}

function target(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

/** Where iproute2 keeps names of namespaces. */
const FOLDER = '/run/netns';
