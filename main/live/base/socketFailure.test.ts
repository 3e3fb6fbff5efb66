import {expect, test} from 'vitest';
import {reasonAt, systemReason} from './socketFailure.ts';

test("only the reason 'nobody listens' contains the address and port", () => {
  const refused = Object.assign(new Error('connect'), {code: 'ECONNREFUSED'});
  expect(reasonAt({host: '::1', port: 80}, refused)).toBe('nobody listens at [::1]:80');
  expect(reasonAt({host: '192.0.2.1', port: 9899}, refused)).toBe('nobody listens at 192.0.2.1:9899');
  const reset = Object.assign(new Error('read'), {code: 'ECONNRESET'});
  expect(reasonAt({host: '::1', port: 80}, reset)).toBe(systemReason(reset));
});
