import {posix} from 'node:path';
import {escapeMarkup} from '../../../app/base/text.ts';
import {imageSize} from '../../../app/page/imageSize.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {imageType} from '../base/mediaType.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import type {LeftOut} from '../store/bundle.ts';
import {type FileSet, isHidden} from './fileSet.ts';
import {addressOf, filesSource, type LocalSource} from './localSource.ts';

/** A page made of pictures. */
export interface Gallery {
  readonly source: LocalSource;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Makes a page that shows a set of pictures in the order of their paths. The page has about as many columns as rows,
 * but at most {@link MOST_COLUMNS} columns.
 * @throws PageError if none of the files is a picture
 */
export async function gallery(name: string, files: FileSet, signal: AbortSignal): Promise<Gallery> {
  const leftOut: LeftOut[] = [];
  const figures: string[] = [];
  const paths = files.paths.filter(path => !isHidden(path)).sort(byName);
  const source = filesSource(files, PAGE);
  const read = withinLimit(source);
  for (const path of paths) {
    if (figures.length === MOST_PICTURES) {
      leftOut.push({address: path, why: `the page has more than ${GATEWAY_LIMITS.objects} objects`});
      continue;
    }
    signal.throwIfAborted();
    try {
      figures.push(await figure(read, path));
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      leftOut.push({address: path, why: error.message});
    }
  }
  if (figures.length === 0) {
    throw new PageError(
      name,
      'has no page: it must contain an HTML file, pictures, or exactly one HAR file, MHTML file or trace of a browser',
    );
  }
  const body = Buffer.from(pageOf(name, figures));
  const get: LocalSource['get'] = async address =>
    address === source.address ? {address, contentType: 'text/html; charset=utf-8', body} : source.get(address);
  return {source: {...source, get}, leftOut};
}

/**
 * Limits how many bytes are read in total. A file must be read to find out whether it is a picture, and a small zip may
 * unpack to very many bytes.
 */
function withinLimit({get}: LocalSource): LocalSource['get'] {
  let bytes = 0;
  return async address => {
    if (bytes > MOST_READ)
      throw new FetchError(`it was not read, because the files before it have more than ${MOST_READ} bytes`);
    const fetched = await get(address);
    bytes += fetched.body.length;
    return fetched;
  };
}

/** Makes the HTML of one picture. @throws FetchError if the file is not a picture or cannot be read */
async function figure(read: LocalSource['get'], path: string): Promise<string> {
  const {body, contentType} = await read(addressOf(path));
  if (imageType(body, contentType) === undefined) throw new FetchError('it is not a picture that browsers show');
  const size = imageSize(body);
  const room = size === undefined ? '' : ` width="${size.width}" height="${size.height}"`;
  const title = escapeMarkup(posix.basename(path, posix.extname(path)));
  const address = escapeMarkup(addressOf(path));
  return `<figure><img src="${address}" alt="${title}"${room}><figcaption>${title}</figcaption></figure>`;
}

function pageOf(name: string, figures: readonly string[]): string {
  const title = escapeMarkup(name);
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title><style>${styleOf(figures.length)}</style></head>
<body>
<h1>${title}</h1>
<main>
${figures.join('\n')}
</main>
</body>
</html>
`;
}

/** CSS that gives each picture an equal share of the width, and a height by its own proportions. */
function styleOf(pictures: number): string {
  const columns = Math.min(Math.ceil(Math.sqrt(pictures)), MOST_COLUMNS);
  return [
    'body{margin:16px;font-family:sans-serif}',
    `main{display:grid;grid-template-columns:repeat(${columns},1fr);gap:16px;align-items:start}`,
    'figure{margin:0}img{display:block;width:100%;height:auto}figcaption{overflow-wrap:anywhere}',
  ].join('');
}

/** With more columns, the pictures would be too small. */
const MOST_COLUMNS = 6;

/** Compares two paths. Digits in them count as numbers, so that 2 comes before 10. */
function byName(a: string, b: string): number {
  return COLLATOR.compare(a, b) || (a < b ? -1 : 1);
}

const COLLATOR = new Intl.Collator('en', {numeric: true});

/** Path of the gallery's HTML. No picture has this path, because hidden files are left out. */
const PAGE = '.gallery.html';

/** Largest number of pictures. The page itself is one more object. */
const MOST_PICTURES = GATEWAY_LIMITS.objects - 1;

/**
 * When more bytes than this were read, no further file is read. This is enough for the pictures of a page, and three
 * times as many bytes of other files.
 */
const MOST_READ = 4 * GATEWAY_LIMITS.pageBytes;
