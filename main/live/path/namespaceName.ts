import {mkdirSync, readlinkSync, symlinkSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';

/** A namespace of that name cannot be had. */
export class NamespaceError extends Error {
  override readonly name = 'NamespaceError';
}

/** What one may be called: a file's name that no shell reads anything else in. */
export function isNamespaceName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(name);
}

/**
 * Has the namespace that `file` of `/proc` is found under this name, as by `ip netns exec` (ip-netns(8)). The name is only
 * a link: what it leads to goes with this process. One that leads nowhere, left by a process that was killed, is
 * replaced. Gives what takes the name away again.
 * @throws NamespaceError when somebody else's has it
 */
export function nameNamespace(name: string, file: string, folder = FOLDER): () => void {
  const link = join(folder, name);
  mkdirSync(folder, {recursive: true});
  if (isLeftOver(link)) unlinkSync(link);
  try {
    symlinkSync(file, link);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new NamespaceError(`there is a namespace ${name} already (${link})`);
  }
  return () => {
    if (target(link) === file) unlinkSync(link);
  };
}

/** One of ours, whose process has ended. */
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

/** Where iproute2 looks. */
const FOLDER = '/run/netns';
