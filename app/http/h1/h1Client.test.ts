import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {encodeResponse} from '../testing/encodeResponse.ts';
import {HttpClient} from './h1Client.ts';
import type {Requests} from './h1Wire.ts';

describe('a client with one request at a time on each stream', () => {
  test('sends the next request on the stream that is free first', () => {
    const {client, asked, answered} = open('when-free');
    client.handleConnected(1);
    expect(asked()).toEqual(['0 on 0']);
    expect(client.waiting).toBe(4);
    client.handleConnected(1);
    expect(asked()).toEqual(['1 on 1']);
    client.handleBytes(1, ok('one'));
    expect(asked()).toEqual(['2 on 1']);
    client.handleBytes(0, ok('index').subarray(0, 254));
    expect(asked()).toEqual([]);
    client.handleBytes(0, ok('index').subarray(254));
    expect(asked()).toEqual(['3 on 0']);
    expect(answered).toEqual(['1 end', '0 end']);
  });

  test('loses the requests of a closed connection, and sends all further requests on the open connection', () => {
    const {client, asked, answered} = open('when-free');
    client.handleConnected(2);
    client.handleGone(0, 'data-timeout');
    expect(answered).toEqual(['0 gone']);
    client.handleBytes(1, ok('one'));
    expect(asked()).toEqual(['0 on 0', '1 on 1', '2 on 1']);
    for (const answer of ['two', 'three', 'four']) client.handleBytes(1, ok(answer));
    expect(asked()).toEqual(['3 on 1', '4 on 1']);
    client.handleGone(1, 'data-timeout');
    client.request(5, '/5');
    expect(asked()).toEqual([]);
  });
});

test('a pipelining client sends no requests on closed streams, and loses the unanswered requests on them', () => {
  const {client, asked, answered} = open('round-robin');
  client.handleConnected(2);
  client.handleBytes(0, ok('index'));
  client.handleGone(0, 'data-timeout');
  expect(answered).toEqual(['0 end', '2 gone', '4 gone']);
  client.request(5, '/5');
  client.request(6, '/6');
  expect(asked()).toEqual(['0 on 0', '1 on 1', '2 on 0', '3 on 1', '4 on 0', '5 on 1', '6 on 1']);
  client.handleGone(1, 'data-timeout');
  client.request(7, '/7');
  expect(asked()).toEqual([]);
});

describe('a client whose streams are renewed', () => {
  test('sends the next request on a stream once the stream has been renewed', () => {
    const {client, asked} = open('when-renewed');
    client.handleConnected(2);
    expect(asked()).toEqual(['0 on 0', '1 on 1']);
    client.handleBytes(1, ok('one'));
    expect([asked(), client.pollRenewal(), client.pollRenewal()]).toEqual([[], 1, undefined]);
    client.handleRenewed(1);
    expect(asked()).toEqual(['2 on 1']);
    client.handleBytes(0, ok('index'));
    client.handleBytes(1, ok('two'));
    expect([client.pollRenewal(), client.pollRenewal(), asked()]).toEqual([0, 1, []]);
    client.handleRenewed(1);
    client.handleRenewed(0);
    expect(asked()).toEqual(['3 on 1', '4 on 0']);
  });

  test('renews no streams if requests are distributed round-robin', () => {
    const {client} = open('round-robin');
    client.handleConnected(1);
    client.handleBytes(0, ok('index'));
    expect(client.pollRenewal()).toBeUndefined();
  });
});

test('a client with a pipeline depth has at most this many unanswered requests on each stream', () => {
  const {client, asked} = open('round-robin', undefined, 2);
  client.handleConnected(2);
  expect(asked()).toEqual(['0 on 0', '1 on 1', '2 on 0', '3 on 1']);
  client.handleBytes(1, ok('one'));
  expect(asked()).toEqual(['4 on 1']);
  client.handleBytes(0, ok('index'));
  expect(asked()).toEqual([]);
});

test('a client that begins with only two streams uses the others once the first object is complete', () => {
  const {client, asked} = open('round-robin', 2);
  client.handleConnected(4);
  expect(asked()).toEqual(['0 on 0', '1 on 1', '2 on 0', '3 on 1', '4 on 0']);
  client.handleBytes(0, ok('index').subarray(0, 254));
  client.request(5, '/5');
  expect(asked()).toEqual(['5 on 1']);
  client.handleBytes(0, ok('index').subarray(254));
  for (const object of [6, 7, 8]) client.request(object, `/${object}`);
  expect(asked()).toEqual(['6 on 2', '7 on 3', '8 on 0']);
});

test('all streams carry requests for objects that are named only in the last bytes of the first object', () => {
  const asked: number[] = [];
  const client = new HttpClient({
    requestBytes: 200,
    isTagged: false,
    requests: 'round-robin',
    firstStreams: 1,
    onResponse: (_, {type}) => {
      if (type === 'body') for (const object of [1, 2, 3]) client.request(object, `/${object}`);
    },
  });
  client.handleConnected(3);
  client.request(0, '/');
  client.handleBytes(0, ok('index'));
  for (let request = client.pollRequest(); request; request = client.pollRequest()) asked.push(request.stream);
  expect(asked).toEqual([0, 1, 2, 0]);
});

/** Returns a client that requests five objects. */
function open(requests: Requests, firstStreams?: number, pipelineDepth?: number) {
  const answered: string[] = [];
  const client = new HttpClient({
    requestBytes: 200,
    isTagged: false,
    requests,
    firstStreams,
    pipelineDepth,
    onResponse: (object, {type}) => {
      if (type === 'end' || type === 'gone') answered.push(`${object} ${type}`);
    },
  });
  for (let object = 0; object < 5; object++) client.request(object, `/${object}`);
  const asked = () => {
    const texts: string[] = [];
    for (let request = client.pollRequest(); request !== undefined; request = client.pollRequest()) {
      texts.push(`${request.object} on ${request.stream}`);
    }
    return texts;
  };
  return {client, asked, answered};
}

function ok(text: string): Uint8Array {
  return encodeResponse('200 OK', 'image/jpeg', bytesOf(text), 250);
}
