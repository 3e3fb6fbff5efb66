import {
  encodeHeaders,
  encodeSettings,
  encodeWindowUpdate,
  FRAME,
  H2FrameReader,
  PREFACE,
  SETTING,
} from '../h2/h2Frame.ts';
import {H2Server} from '../h2/h2Server.ts';
import {HpackEncoder} from '../hpack/hpackEncoder.ts';
import type {Response} from '../response.ts';
import type {ServerRules} from '../serverRules.ts';

/**
 * Starts a server whose output can be read as texts. The path of a request is the size of the response's body, in
 * bytes. Streams have a window of `windowBytes`.
 */
export function startServer(rules: Pick<ServerRules, 'scheduling' | 'pieceBytes' | 'handlers'>, windowBytes = 1e6) {
  const server = new H2Server({respond, thinkNs: 0, scheduler: rules.scheduling}, rules);
  const [reader, encoder] = [new H2FrameReader(), new HpackEncoder()];
  server.handleBytes(PREFACE, 0);
  server.handleBytes(encodeSettings([[SETTING.initialWindowSize, windowBytes]]), 0);
  server.handleBytes(encodeWindowUpdate(0, 1e6), 0);
  while (server.pollFrames(0) !== undefined);

  /** Returns the frames that the server writes at the time `nowNs`, as texts such as `1 head` and `1 1000 end`. */
  const poll = (nowNs: number): readonly string[] => {
    const texts: string[] = [];
    for (let next = pollOne(nowNs); next !== undefined; next = pollOne(nowNs)) {
      for (const {type, flags, stream, payload} of reader.push(next.bytes)) {
        const kind = type === FRAME.headers ? 'head' : `${payload.length}`;
        texts.push(`${stream} ${kind}${(flags & 1) === 1 ? ' end' : ''}`);
      }
    }
    return texts;
  };
  const pollOne = (nowNs: number) => server.pollFrames(nowNs) ?? server.pollData(nowNs);
  return {
    server,
    poll,
    /** Requests a body of `bodyBytes` bytes, and drops the frames that the server writes at the time `nowNs`. */
    ask: (stream: number, bodyBytes: number, nowNs: number, method = 'GET') => {
      const fields = [
        [':method', method],
        [':scheme', 'https'],
        [':authority', 'a'],
        [':path', `/${bodyBytes}`],
      ] as const;
      server.handleBytes(encodeHeaders(stream, encoder.encode(fields), true, 16_384), nowNs);
      poll(nowNs);
    },
    /** Returns everything that is written from `nowNs` on and before `untilNs`, each frame with its time. */
    run: (nowNs: number, untilNs = Number.POSITIVE_INFINITY): readonly string[] => {
      const texts: string[] = [];
      for (
        let atNs: number | undefined = nowNs;
        atNs !== undefined && atNs < untilNs;
        atNs = server.pollTimeoutNs(atNs)
      ) {
        for (const text of poll(atNs)) texts.push(`${atNs}: ${text}`);
      }
      return texts;
    },
  };
}

function respond(url: string | undefined): Response {
  const body = new Uint8Array(Number(url?.slice(1)));
  return {object: 1, status: 200, statusText: 'OK', contentType: 'a/b', headerBytes: 0, body};
}
