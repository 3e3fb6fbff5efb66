import {request} from 'node:http';
import {readJson} from '../../app/base/json.ts';
import {refusal, refusalOf} from '../../app/base/refusal.ts';
import {check, isObject} from '../../app/base/schema.ts';
import type {PathAnswer} from '../../app/host/contract.ts';
import {liveServer} from '../../app/run/scenario/livePath.ts';
import {runningPath} from '../../app/run/scenario/runningPath.ts';
import {PORT_OFFSETS, resolveLive} from '../live/base/liveAddress.ts';
import {boundTokens} from '../live/base/liveToken.ts';

/**
 * Reads the settings of the emulated path that the command `interleave path` runs at the address `live`. If `change` is
 * not null, changes the settings. This answers the call `askPath` of the contract. Returns null if a program answers
 * that is not `interleave path`, or if nothing answers and `change` is null.
 */
export async function askPath(live: unknown, change: unknown): Promise<PathAnswer | null> {
  const server = check(liveServer, live);
  if (!server.ok) return refusal(server.problems[0].message);
  let token: string | undefined;
  try {
    token = boundTokens()(server.value);
  } catch (error) {
    return refusalOf(error);
  }
  let answer: Answer;
  try {
    const {host, port} = await resolveLive(server.value);
    answer = await asked({host, port: port + PORT_OFFSETS.control, token}, change);
  } catch {
    // The host name cannot be resolved, no process answers in time, its answer is too long, or the port would exceed
    // 65,535. Only a caller that wants to change something gets a message.
    return change === null ? null : refusal('the path does not answer: is the command interleave path running there?');
  }
  const json = readJson(answer.text);
  const value = json.ok ? json.value : null;
  if (answer.status !== 200) {
    const error = isObject(value) ? value['error'] : undefined;
    return typeof error === 'string' ? refusal(error.slice(0, LONGEST_ERROR)) : null;
  }
  const running = check(runningPath, value);
  return running.ok ? {ok: true, running: running.value} : null;
}

interface Asked {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
}

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

/**
 * Sends a request to the path's control port: GET if `change` is null, otherwise PATCH.
 * @throws Error if the connection fails or there is no answer in time; RangeError if the answer is too long
 */
function asked({host, port, token}: Asked, change: unknown): Promise<Answer> {
  const body = change === null ? undefined : JSON.stringify(change);
  const headers = {
    ...(token === undefined ? {} : {Authorization: `Bearer ${token}`}),
    ...(body === undefined ? {} : {'Content-Type': 'application/json'}),
  };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'PATCH';
    const asking = request({host, port, path: '/path', method, headers, agent: false}, async response => {
      try {
        const pieces: Uint8Array[] = [];
        let bytes = 0;
        for await (const piece of response as AsyncIterable<Uint8Array>) {
          bytes += piece.length;
          if (bytes > MOST_BYTES) throw new RangeError(`the path's answer has more than ${MOST_BYTES} bytes`);
          pieces.push(piece);
        }
        resolve({status: response.statusCode, text: Buffer.concat(pieces).toString()});
      } catch (error) {
        reject(error);
      }
    });
    const late = setTimeout(() => asking.destroy(new Error('no answer')), TIMEOUT_MS);
    asking.on('close', () => clearTimeout(late));
    asking.on('error', reject);
    asking.end(body);
  });
}

const TIMEOUT_MS = 3000;
/** Largest size of an answer, in bytes. An answer whose loss model lists 100,000 packets has 0.7 MB. */
const MOST_BYTES = 2 * 1024 * 1024;
const LONGEST_ERROR = 500;
