import {PAGE_FILE} from '../../app/scenario/pageSource.ts';
import type {Session} from '../store/session.ts';
import type {PathFile} from './pageOpener.ts';

/** Opens files as what they are: a page, or else the first of them as a scenario, a trace or a story. */
export async function openChosen(session: Session, files: readonly PathFile[]): Promise<void> {
  const [first] = files;
  if (first === undefined) return;
  if (files.some(({path}) => PAGE_FILE.test(path) || PICTURE.test(path))) {
    session.opener.openFiles(nameOf(files, first), files);
    return;
  }
  session.opener.cancel();
  session.openFile(first.path, new Uint8Array(await first.file.arrayBuffer()));
}

/** Of an input: those of a folder have their path in it. */
export function filesOf(list: FileList | null): readonly PathFile[] {
  return [...(list ?? [])].map(file => ({path: file.webkitRelativePath || file.name, file}));
}

function nameOf(files: readonly PathFile[], {path}: PathFile): string {
  const [top = path, ...rest] = path.split('/');
  return files.length === 1 || rest.length > 0 ? top : `${top} and ${files.length - 1} more`;
}

/** A page can be made of it. */
const PICTURE = /\.(png|jpe?g|jfif|gif|webp|avif|svg|bmp)$/i;
