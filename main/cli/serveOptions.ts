import {SCTP_UDP_PORT} from '../live/encapsulation.ts';
import {listenAt} from './gatewayOptions.ts';
import {liveTokenOf} from './liveOptions.ts';

export interface ServeCommand {
  readonly name: 'serve';
  /** As `--page` of others; undefined: a scenario's by default. */
  readonly page: string | undefined;
  readonly isPrivateAllowed: boolean;
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
  readonly listen?: string | undefined;
  readonly token?: string | undefined;
  readonly json?: boolean | undefined;
}): ServeCommand {
  const token = liveTokenOf(values);
  return {
    ...{name: 'serve', page: values.page, isPrivateAllowed: values['allow-private'] ?? false},
    ...{...listenAt(values.listen, SCTP_UDP_PORT), token},
    format: values.json ? 'json' : 'table',
  };
}
