import {decode} from '@msgpack/msgpack';
import {loadsOn} from '../../../app/engine/loads.ts';
import {openWasm} from '../index.js';
import {digestsOf} from './digests.ts';
import type {Answer, Work} from './inBrowser.ts';
import {resultOfTests} from './webAssembly.ts';

// This worker of a page runs scenarios on the module `interleave.wasm`, runs modules of Rust tests, and posts the
// results to the server of inBrowser.ts.

// The types of browsers are not known here, because this folder is compiled with the types of Node.
declare const crypto: {subtle: {digest(name: string, bytes: Uint8Array): Promise<ArrayBuffer>}};

async function sha256(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, byte => byte.toString(16).padStart(2, '0')).join('');
}

async function bytesAt(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await fetch(path)).arrayBuffer());
}

async function answer(): Promise<Answer | {readonly problem: string}> {
  try {
    const {jobs, tests} = decode(await bytesAt('/work')) as Work;
    const loads = loadsOn(await openWasm(await bytesAt('/interleave.wasm')), () => 'interleave test');
    return {digests: await digestsOf(loads, jobs, sha256), tests: tests.map(resultOfTests)};
  } catch (error) {
    return {problem: String((error as Error).stack ?? error)};
  }
}

await fetch('/result', {method: 'POST', body: JSON.stringify(await answer())});
