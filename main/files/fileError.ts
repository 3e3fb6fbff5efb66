/** Thrown if a file cannot be written. The message is one line for the user. */
export class FileError extends Error {
  override readonly name = 'FileError';
  /** The system's error code, for example ENOSPC. */
  readonly code: string;

  /** `advice` is added to the message. It suggests to the user what may help. */
  constructor(path: string, error: unknown, advice = '') {
    const {code = '', message} = error as NodeJS.ErrnoException;
    super(`cannot write ${path}: ${REASONS[code] ?? message}${advice && `; ${advice}`}`);
    this.code = code;
  }

  /** Whether the reason may be the folder instead of the file. The user can then choose another folder. */
  get isOfPlace(): boolean {
    return ['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(this.code);
  }
}

const REASONS: {readonly [code: string]: string} = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file is too large for the file system',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
};
