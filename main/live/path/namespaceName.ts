import {mkdirSync, readlinkSync, symlinkSync, unlinkSync} from 'node:fs';
import {join} from 'node:path';

/** Thrown if a network namespace cannot be created or named. */
export class NamespaceError extends Error {
  override readonly name = 'NamespaceError';
}

/**
 * Whether a namespace may have this name. It must have at most 64 characters, each an ASCII letter, a digit, `_`, `.`
 * or `-`, and must not begin with `.` or `-`. Such a name is a file name and needs no quotes in a shell.
 */
export function isNamespaceName(name: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(name);
}

/**
 * Gives a network namespace a name, so that `ip netns exec NAME` finds it (ip-netns(8)). The name is a symbolic link to
 * `file`, which is the namespace's file below `/proc`. If a killed process has left a link of this name, that link is
 * replaced. Returns a function that removes the name. The namespace itself ends when this process has closed `file` or
 * ended, and no other process runs in the namespace.
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
    throw new NamespaceError(`a namespace named ${name} exists already (${link}): choose another name`);
  }
  return () => {
    if (target(link) === file) unlinkSync(link);
  };
}

/** Whether a process of this program created the link and has ended since. */
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

/** The folder in which iproute2 keeps the names of namespaces. */
const FOLDER = '/run/netns';
