import {once} from 'node:events';
import {type MimeNode, Splitter} from '@zone-eu/mailsplit';
import {absoluteAddress} from '../base/absoluteAddress.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import type {LocalSource} from './localSource.ts';

/**
 * Reads the page in an MHTML file (RFC 2557), as browsers save it. The root part is the HTML of the page. The page's
 * objects are the parts that the HTML or a style sheet names by Content-Location or Content-ID.
 * @throws PageError if the file is not an MHTML file or has no page
 */
export async function mhtmlSource(name: string, bytes: Uint8Array): Promise<LocalSource> {
  const parts = await partsOf(bytes).catch(error => {
    throw new PageError(name, `is not a readable MHTML file: ${error.message}`);
  });
  const root = rootOf(parts);
  if (root === undefined) throw new PageError(name, 'has no HTML document');
  const base = absoluteAddress(root.location, NOWHERE) ?? NOWHERE;
  const byAddress = new Map<string, Part>([[base, root]]);
  for (const part of parts) {
    // Relative locations are resolved against the root's location (RFC 2557 §5).
    const addresses = [part.location && absoluteAddress(part.location, base), part.id && `cid:${part.id}`];
    for (const address of addresses) {
      if (address && !byAddress.has(address)) byAddress.set(address, part);
    }
  }
  return {
    address: base,
    nameOf: address => address,
    get: async address => {
      const part = byAddress.get(address);
      if (part === undefined) throw new FetchError('the file has no part of that address');
      return {address, contentType: part.type, body: part.body};
    },
  };
}

interface Part {
  readonly type: string;
  /** The Content-Location. Empty if there is none. */
  readonly location: string;
  /** The Content-ID without its brackets. Empty if there is none. */
  readonly id: string;
  /** The Content-ID of the root part, which the enclosing multipart names (RFC 2387 §3.2). Empty if it names none. */
  readonly start: string;
  readonly body: Uint8Array;
}

/** @throws Error */
async function partsOf(bytes: Uint8Array): Promise<readonly Part[]> {
  const splitter = new Splitter({maxChildNodes: MOST_PARTS, ignoreEmbedded: true});
  const nodes: {node: MimeNode; pieces: Uint8Array[]}[] = [];
  splitter.on('data', chunk => {
    if (chunk.type === 'node') nodes.push({node: chunk, pieces: []});
    else if (chunk.type === 'body') nodes.at(-1)?.pieces.push(chunk.value);
  });
  const end = once(splitter, 'end');
  splitter.end(bytes);
  await end;
  const parts: Part[] = [];
  for (const {node, pieces} of nodes) {
    if (node.multipart === false) parts.push(await partOf(node, pieces));
  }
  return parts;
}

async function partOf(node: MimeNode, pieces: readonly Uint8Array[]): Promise<Part> {
  const header = (key: string): string => headerOf(node, key);
  const multipart = node.parentNode ? headerOf(node.parentNode, 'content-type') : '';
  return {
    type: header('content-type').replaceAll(/\s+/g, ' ').toLowerCase(),
    // a long value may be folded into several lines
    location: header('content-location').replaceAll(/\s+/g, ''),
    id: withoutBrackets(header('content-id')),
    start: withoutBrackets(/;\s*start="?([^";]+)/i.exec(multipart)?.[1] ?? ''),
    body: await decoded(node, Buffer.concat(pieces)),
  };
}

function headerOf({headers}: MimeNode, key: string): string {
  return headers ? headers.getFirst(key).trim() : '';
}

async function decoded(node: MimeNode, bytes: Buffer): Promise<Uint8Array> {
  const decoder = node.getDecoder();
  const pieces: Buffer[] = [];
  decoder.on('data', piece => pieces.push(piece));
  const end = once(decoder, 'end');
  decoder.end(bytes);
  await end;
  return Buffer.concat(pieces);
}

/** Returns the HTML document that the file names as its root. If it names none, returns the first HTML document. */
function rootOf(parts: readonly Part[]): Part | undefined {
  const pages = parts.filter(({type}) => /^(text\/html|application\/xhtml\+xml)\b/.test(type));
  return pages.find(({id, start}) => id !== '' && id === start) ?? pages[0];
}

function withoutBrackets(id: string): string {
  return id.trim().replace(/^<|>$/g, '');
}

/** Base address of a root that has no location (RFC 2557 §5 c). */
const NOWHERE = 'thismessage:/';

/** Largest number of parts. A page has at most a thousand objects. */
const MOST_PARTS = 5000;
