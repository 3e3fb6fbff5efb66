import {type BundleSource, PAGE_FILE} from '../../../app/run/scenario/pageSource.ts';

/** What a saved page's file is called: `example-org-news.zip`. */
export function zipName({name}: Pick<BundleSource, 'name'>): string {
  const words = name
    .replace(/^(https?|sctp):\/\//i, '')
    .replace(/[?#].*$/s, '')
    .replace(PAGE_FILE, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return `${words.slice(0, LONGEST_NAME).toLowerCase() || 'page'}.zip`;
}

/** Characters: of any alphabet it is a name that file systems take. */
const LONGEST_NAME = 60;
