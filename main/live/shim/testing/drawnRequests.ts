import type {Draw} from '../../../../native/interop/testing/mutants.ts';
import corpus from './fuzzCorpus.json' with {type: 'json'};

/**
 * Makes one to three random requests that a client sends on one connection. Many of them are invalid in some way. They
 * contain `mark` and their number, so that a test can recognise each request at the server. `origin` is the host and
 * port in targets that are full URLs. Each character of the result is one byte (Latin-1).
 */
export function drawnRequests(draw: Draw, mark: string, origin: string): string {
  const texts: string[] = [];
  for (let left = 1 + draw(3), number = 0; left > 0; left--, number++) {
    const marked = `${mark}-${number}`;
    const text = draw(2) === 0 ? fromCorpus(draw).replaceAll('{}', marked) : built(draw, marked);
    texts.push(text.replaceAll('{origin}', origin));
  }
  const text = texts.join('');
  return draw(3) === 0 ? damaged(text, draw) : text;
}

/**
 * Makes a random answer of a server. Many answers are invalid in some way. Some bodies contain `mark`. Each character
 * of the result is one byte (Latin-1).
 */
export function drawnAnswer(draw: Draw, mark: string): string {
  const line = pick(draw, STATUS_LINES);
  const {fields, body} = pick(draw, BODIES)(draw, mark);
  const others = Array.from({length: draw(3)}, () => pick(draw, ANSWER_FIELDS));
  const text = `${line}\r\n${shuffled(draw, [...others, ...fields])
    .map(field => `${field}\r\n`)
    .join('')}\r\n${body}`;
  const before = draw(6) === 0 ? pick(draw, INTERIM) : '';
  return before + (draw(4) === 0 ? damaged(text, draw) : text);
}

/** Requests that once revealed a defect, keyed by a description of the request. */
export const CORPUS: Readonly<Record<string, string>> = corpus;

function fromCorpus(draw: Draw): string {
  return pick(draw, Object.values(CORPUS));
}

function built(draw: Draw, mark: string): string {
  const [method, version] = [pick(draw, METHODS), pick(draw, VERSIONS)];
  const target = pick(draw, TARGETS).replace('{}', mark);
  const {fields, body} = pick(draw, BODIES)(draw, mark);
  const others = Array.from({length: draw(4)}, () => pick(draw, FIELDS));
  const lines = shuffled(draw, ['Host: localhost', `X-Mark: ${mark}`, ...others, ...fields]);
  return `${method} ${target} HTTP/${version}\r\n${lines.map(line => `${line}\r\n`).join('')}\r\n${body}`;
}

interface Framed {
  readonly fields: readonly string[];
  readonly body: string;
}

const BODIES: readonly ((draw: Draw, mark: string) => Framed)[] = [
  () => ({fields: [], body: ''}),
  (draw, mark) => lengthOf(content(draw, mark)),
  (draw, mark) => chunksOf(content(draw, mark), draw),
  // This body has both a length and chunks.
  (draw, mark) => {
    const [length, chunks] = [lengthOf(content(draw, mark)), chunksOf(content(draw, mark), draw)];
    return {fields: [...length.fields, ...chunks.fields], body: draw(2) === 0 ? length.body : chunks.body};
  },
  // This body may have more or fewer bytes than announced.
  (draw, mark) => {
    const {fields, body} = lengthOf(content(draw, mark));
    return {
      fields,
      body: draw(2) === 0 ? body.slice(0, draw(body.length + 1)) : `${body}${content(draw, mark)}`,
    };
  },
  (draw, mark) => ({fields: [], body: content(draw, mark)}),
];

function content(draw: Draw, mark: string): string {
  return pick(draw, CONTENTS).replaceAll('{}', mark);
}

function lengthOf(content: string): Framed {
  return {fields: [`Content-Length: ${content.length}`], body: content};
}

function chunksOf(content: string, draw: Draw): Framed {
  const cut = draw(content.length + 1);
  const chunks = [content.slice(0, cut), content.slice(cut)].filter(chunk => chunk !== '');
  const text = chunks.map(chunk => `${chunk.length.toString(16)}${pick(draw, EXTENSIONS)}\r\n${chunk}\r\n`).join('');
  return {fields: [pick(draw, CODINGS)], body: `${text}0\r\n${draw(3) === 0 ? 'X-T: u\r\n' : ''}\r\n`};
}

/** Changes a text in one to three places, so that two parsers may read it differently. */
function damaged(text: string, draw: Draw): string {
  let made = text;
  for (let left = 1 + draw(3); left > 0; left--) {
    const at = draw(made.length + 1);
    const [before, behind] = [made.slice(0, at), made.slice(at)];
    const change = draw(4);
    if (change === 0) made = before + pick(draw, PARTS) + behind;
    else if (change === 1) made = before + behind.slice(1 + draw(3));
    else if (change === 2) made = before + String.fromCharCode(draw(256)) + behind.slice(1);
    else {
      // Line breaks, colons and commas matter most to parsers.
      const places = [...made.matchAll(/\r\n|: |,/g)].map(({index}) => index);
      const place = places[draw(Math.max(1, places.length))] ?? 0;
      made = made.slice(0, place) + pick(draw, PARTS) + made.slice(place + draw(3));
    }
  }
  return made;
}

function pick<T>(draw: Draw, from: readonly T[]): T {
  const picked = from[draw(from.length)];
  if (picked === undefined) throw new RangeError('nothing to pick');
  return picked;
}

function shuffled(draw: Draw, lines: readonly string[]): string[] {
  const all = [...lines];
  for (let i = all.length - 1; i > 0; i--) {
    const j = draw(i + 1);
    [all[i], all[j]] = [all[j] ?? '', all[i] ?? ''];
  }
  return all;
}

const HIDDEN = 'GET /{}-hidden HTTP/1.1\r\nHost: localhost\r\nX-Mark: {}-hidden\r\n\r\n';
const CONTENTS = ['', 'x', 'GET /', 'a=b&c=d', HIDDEN, `0\r\n\r\n${HIDDEN}`, `${HIDDEN}GET /{}-half HTTP/1.1\r\nX-B: `];
const METHODS = ['GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'PROPFIND'];
const TARGETS = ['/{}', '/{}', '/{}', '/{}?a=b', 'http://{origin}/{}', '//{}', '/{}/../x'];
const VERSIONS = ['1.1', '1.1', '1.1', '1.1', '1.0'];
const EXTENSIONS = ['', '', '', ';a=b', ';a="b"', ' '];
const CODINGS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'transfer-encoding: Chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding:chunked ',
  'Transfer-Encoding: \x0cchunked',
];
const FIELDS = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: X-Own, content-length',
  'Connection: X-Own',
  'Connection: transfer-encoding',
  'Connection: Host',
  'Connection: upgrade',
  'Connection: x-mark',
  'X-Own: 1',
  'Upgrade: h2c',
  'TE: trailers',
  'Trailer: X-T',
  'Keep-Alive: timeout=5',
  'Via: 1.0 a',
  'Expect: 100-continue',
  'Authorization: Bearer of-attacker',
  'Cookie: a=b',
  'X-Twice: 1',
  'X-Twice: 2',
  'Proxy-Connection: keep-alive',
  'Host: evil',
  'Content-Type: text/plain',
  'X-Empty:',
  'X-High: \xff',
];
const ANSWER_FIELDS = [
  ...FIELDS,
  'Set-Cookie: a=b',
  'Set-Cookie: c=d',
  'Location: /x',
  'Link: </a>; rel=preload',
  'Content-Encoding: gzip',
];
const STATUS_LINES = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 404 \x01\x7f',
  'HTTP/1.1 101 Switching Protocols',
  'HTTP/1.1 200',
  'HTTP/1.1 999 What',
  'HTTP/1.1 099 Less',
  'HTTP/1.1 205 Reset',
  'HTTP/2.0 200 OK',
  'HTTP/1.1 200 \xff\x00',
];
const INTERIM = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 102 Processing\r\n\r\n',
  'HTTP/1.1 103 Hints\r\nLink: x\r\n\r\n',
  'HTTP/1.1 103 Hints\r\nLink: </a>; rel=preload\r\n\r\n',
  'HTTP/1.1 199 What\r\nContent-Length: 5\r\n\r\n',
];
const PARTS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' ',
  '\t',
  ':',
  ',',
  '\0',
  '\x0b',
  '\xa0',
  '0',
  '5',
  ' \r\n ',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: content-length\r\n',
  'HTTP/1.1',
  'x',
];
