import {SCTP_UDP_PORT} from '../live/base/sctpInUdp.ts';
import type {Trust} from '../pages/base/trust.ts';
import {listenAt} from './gatewayOptions.ts';
import {liveTokenOf} from './liveOptions.ts';
import {trustOf} from './trustOptions.ts';

export interface ServeCommand {
  readonly name: 'serve';
  /** As `--page` of others; undefined: a scenario's by default. */
  readonly page: string | undefined;
  readonly isPrivateAllowed: boolean;
  /** Which servers of https the page is fetched from. */
  readonly trust?: Trust | undefined;
  readonly host: string;
  /** Of TCP and UDP; 0: one that is free. */
  readonly port: number;
  readonly token: string | undefined;
  readonly format: 'json' | 'table';
}

/** Reads what stands behind `serve`. @throws UsageError */
export function serveOf(values: {
  readonly page?: string | undefined;
  readonly 'allow-private'?: boolean | undefined;
  readonly ca?: string | undefined;
  readonly insecure?: boolean | undefined;
  readonly listen?: string | undefined;
  readonly token?: string | undefined;
  readonly json?: boolean | undefined;
}): ServeCommand {
  const token = liveTokenOf(values);
  return {
    name: 'serve',
    page: values.page,
    isPrivateAllowed: values['allow-private'] ?? false,
    trust: trustOf(values),
    ...listenAt(values.listen, SCTP_UDP_PORT),
    token,
    format: values.json ? 'json' : 'table',
  };
}
