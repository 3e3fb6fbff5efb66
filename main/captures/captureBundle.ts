import type {CapturedExchange, CapturedLoad} from '../../app/captures/capturedLoad.ts';
import {fieldOf} from '../../app/captures/httpRead.ts';
import type {RecordedType} from '../../app/page/recording.ts';
import {absoluteAddress, withoutFragment} from '../pages/base/absoluteAddress.ts';
import {fontType, imageType} from '../pages/base/mediaType.ts';
import {FetchError} from '../pages/base/pageErrors.ts';
import type {Fetched} from '../pages/fetch/fetcher.ts';
import {readHtml} from '../pages/fetch/readText.ts';
import {gatherLocal} from '../pages/open/gatherLocal.ts';
import type {LocalSource} from '../pages/open/localSource.ts';
import {CONTENT_TYPES, placeholder, placeholderHtml} from '../pages/open/placeholders.ts';
import {type KnownLoad, NOT_SEEN, namedIn} from '../pages/record/recordedBundle.ts';
import {answerBefore, type ObservedCause, type ObservedRequest, priorityOf} from '../pages/record/traceRequests.ts';
import type {Bundle} from '../pages/store/bundle.ts';

/**
 * Makes a bundle of the page of a captured load. Its files are the contents that the capture has. If the capture lacks
 * a content, the file is a placeholder of the size that was sent. The placeholder of the page's HTML names the objects
 * that the HTML caused, and is larger than what was sent if these names need more room. A placeholder also replaces a
 * damaged picture or font. It also replaces a file that panes never show, such as a script, if this file was sent
 * compressed. The bundle also has a recording, a file that says what caused each request. `name` is the page's name for
 * people.
 * @throws PageError if the load has no complete response; the signal's reason after an abort
 */
export function captureBundle(load: CapturedLoad, name: string, signal: AbortSignal): Promise<Bundle> {
  return gatherLocal(sourceOf(load), {name, signal});
}

/** A complete answer to a request. It becomes an object of the page. */
interface Answer {
  readonly exchange: CapturedExchange;
  readonly address: string;
  readonly contentType: string;
  readonly type: RecordedType;
}

function sourceOf({exchanges, kind}: CapturedLoad): LocalSource {
  const answers = answersOf(exchanges);
  const document = documentOf(exchanges, answers);
  if (document === undefined) return {address: 'about:blank', nameOf: address => address, get: refuse};
  const html = document.type === 'document' || document.contentType === '' ? document.exchange.body : null;
  const isNamed = html === null ? () => true : namedIn(readHtml(html, document.contentType));
  const requests = requestsOf(document, [...answers.values()], isNamed);
  const recorded: KnownLoad = {...NOT_SEEN, requests, runMs: new Map(), browser: `capture (${kind})`};
  const [first] = requests;
  const shown = html ?? (first === undefined ? '' : placeholderHtml(first, requests, 'a capture'));
  const missing = [...answers.values()].filter(({exchange: {body}}) => body === null).length;
  return {
    address: document.address,
    recorded,
    nameOf: address => address,
    get: async address => {
      const answer = answers.get(withoutFragment(address));
      if (answer === undefined) throw new FetchError('the capture has no complete response to it');
      if (answer !== document) return bodyOf(answer);
      const body = Buffer.from(shown);
      return {address, contentType: html === null ? CONTENT_TYPES.document : document.contentType, body};
    },
    unused: () => (missing === 0 ? [] : [missingText(missing, answers.size)]),
  };
}

function missingText(missing: number, all: number): string {
  const some = missing === all ? 'all files' : `${missing} of ${all} files`;
  return `the contents of ${some}: the capture has only their sizes, so the page shows placeholders`;
}

async function refuse(): Promise<never> {
  throw new FetchError('the capture has no complete response');
}

/**
 * Returns one answer for each address: the first complete answer that has a body, or else the first complete answer.
 */
function answersOf(exchanges: readonly CapturedExchange[]): ReadonlyMap<string, Answer> {
  const answers = new Map<string, Answer>();
  for (const exchange of exchanges) {
    const address = absoluteAddress(exchange.url);
    if (address === undefined || exchange.method !== 'GET' || !isWhole(exchange)) continue;
    const known = answers.get(withoutFragment(address));
    if (known !== undefined && (known.exchange.body !== null || exchange.body === null)) continue;
    const contentType = (fieldOf(exchange.responseFields, 'content-type') ?? '').trim().toLowerCase();
    answers.set(withoutFragment(address), {
      exchange,
      address: withoutFragment(address),
      contentType,
      type: typeOf(contentType, address),
    });
  }
  return answers;
}

/** Whether the browser had the whole content after an exchange. With status 304, an earlier load had fetched it. */
function isWhole({status, completeNs}: CapturedExchange): boolean {
  if (completeNs === null || status === null || status === 206) return false;
  return (status >= 200 && status < 300) || status === 304;
}

/**
 * Returns the page's HTML, which is the first answer that is HTML. If there is none, returns the first answer without a
 * media type, or else the first answer.
 */
function documentOf(exchanges: readonly CapturedExchange[], answers: ReadonlyMap<string, Answer>): Answer | undefined {
  const all = exchanges.flatMap(({url}) => answers.get(withoutFragment(url)) ?? []);
  return all.find(({type}) => type === 'document') ?? all.find(({contentType}) => contentType === '') ?? all[0];
}

function bodyOf({exchange, address, contentType, type}: Answer): Fetched {
  const {body, bodyBytes} = exchange;
  if (body !== null && (isShown(type, contentType, body) || (body.length === bodyBytes && !isSeen(type))))
    return {address, contentType, body};
  // the placeholder has the size that was sent, because this size decides how long the transfer takes
  const size = bodyBytes === 0 && body !== null ? body.length : bodyBytes;
  return {address, contentType: CONTENT_TYPES[type], body: placeholder(type, size)};
}

/** Whether content of this type is a picture or a font. */
function isSeen(type: RecordedType): boolean {
  return type === 'image' || type === 'font';
}

/**
 * Whether a pane can show this content. It cannot show a damaged picture or font, for which a placeholder is used.
 */
function isShown(type: RecordedType, contentType: string, body: Uint8Array): boolean {
  if (type === 'image') return imageType(body, contentType) !== undefined;
  if (type === 'font') return fontType(body) !== undefined;
  return type === 'style' || type === 'document';
}

function requestsOf(
  document: Answer,
  answers: readonly Answer[],
  isNamed: (address: string) => boolean,
): readonly ObservedRequest[] {
  const startNs = document.exchange.requestNs;
  const msOf = (ns: number): number => (ns - startNs) / 1e6;
  const others = answers
    .filter(answer => answer !== document && answer.exchange.requestNs >= startNs)
    .sort((a, b) => a.exchange.requestNs - b.exchange.requestNs);
  const ended = [document, ...others]
    .map(({address, exchange: {completeNs}}) => ({address, endMs: msOf(completeNs ?? 0)}))
    .sort((a, b) => a.endMs - b.endMs);
  const known = new Map([document, ...others].map(answer => [answer.address, answer]));
  return [document, ...others].map((answer): ObservedRequest => {
    const {exchange, address, type} = answer;
    const startMs = msOf(exchange.discoveredNs ?? exchange.requestNs);
    const cause = answer === document ? START : causeOf(answer, startMs, {document, known, ended, isNamed});
    return {
      address,
      startMs: Math.max(0, startMs),
      endMs: msOf(exchange.completeNs ?? 0),
      type: answer === document ? 'document' : type,
      priority: priorityOf(exchange.priority ?? PRIORITIES[type]),
      blocking: type === 'style' && ['VeryHigh', 'Highest', null].includes(exchange.priority),
      ...cause,
      bytes: {encoded: exchange.bodyBytes, decoded: exchange.body?.length ?? exchange.bodyBytes},
    };
  });
}

type Caused = Pick<ObservedRequest, 'cause' | 'cpuMs' | 'waitMs'>;

const START: Caused = {cause: {by: 'start'}, cpuMs: 0, waitMs: 0};

interface Causes {
  readonly document: Answer;
  readonly known: ReadonlyMap<string, Answer>;
  /** The HTML and all answers that were requested after it, in the order in which they were completed. */
  readonly ended: readonly {readonly address: string; readonly endMs: number}[];
  readonly isNamed: (address: string) => boolean;
}

/**
 * Returns what caused a request: the script or style sheet that the browser recorded as the cause. If there is no such
 * record, the cause is the HTML if the HTML names the address, or if the browser recorded that its parser of HTML made
 * the request. Otherwise the cause is the answer that was completed last before the request. If this answer was
 * completed 50 ms or more before the request, or if there is none, the cause is the HTML.
 */
function causeOf({exchange, address}: Answer, startMs: number, {document, known, ended, isNamed}: Causes): Caused {
  const since = (by: Answer): number => {
    const {completeNs} = by.exchange;
    return Math.max(0, startMs - ((completeNs ?? 0) - document.exchange.requestNs) / 1e6);
  };
  const html: Caused = {cause: {by: 'html', address: document.address}, cpuMs: 0, waitMs: 0};
  const by = known.get(withoutFragment(exchange.initiator?.url ?? ''));
  if (by !== undefined && by !== document && by.address !== address) {
    const cause: ObservedCause | undefined =
      by.type === 'style'
        ? {by: 'style', address: by.address}
        : by.type === 'script'
          ? {by: 'script', address: by.address}
          : undefined;
    if (cause !== undefined) return {cause, cpuMs: since(by), waitMs: 0};
  }
  if (exchange.initiator?.type === 'parser' || isNamed(address)) return html;
  const answer = answerBefore(startMs, ended, each => each.address !== address && each.address !== document.address);
  if (answer === undefined) return html;
  return {cause: {by: 'data', address: answer.address}, cpuMs: startMs - answer.endMs, waitMs: 0};
}

/** Returns an object's type. The media type decides. If there is none, the ending of the address decides. */
function typeOf(contentType: string, address: string): RecordedType {
  const [media = ''] = contentType.split(';');
  const [, ending = ''] = /\.([a-z\d]{1,5})(?:$|\?)/i.exec(address) ?? [];
  return (
    MEDIA.find(([pattern]) => pattern.test(media))?.[1] ?? (media === '' ? (ENDINGS.get(ending) ?? 'other') : 'other')
  );
}

const MEDIA: readonly (readonly [pattern: RegExp, type: RecordedType])[] = [
  [/^(text\/html|application\/xhtml\+xml)$/, 'document'],
  [/^text\/css$/, 'style'],
  [/javascript|ecmascript/, 'script'],
  [/^image\//, 'image'],
  [/^font\/|^application\/(x-)?font/, 'font'],
  [/^(audio|video)\//, 'media'],
  [/json$/, 'data'],
];

const ENDINGS: ReadonlyMap<string, RecordedType> = new Map([
  ['html', 'document'],
  ['css', 'style'],
  ['js', 'script'],
  ['mjs', 'script'],
  ['json', 'data'],
  ['woff', 'font'],
  ['woff2', 'font'],
  ...['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'ico'].map(each => [each, 'image'] as const),
]);

/** The priorities of Chromium, for requests whose priority the capture does not state. */
const PRIORITIES: {readonly [type in RecordedType]: string} = {
  document: 'VeryHigh',
  style: 'VeryHigh',
  script: 'High',
  font: 'High',
  data: 'High',
  image: 'Low',
  media: 'Low',
  other: 'Low',
};
