import {chosenGateway, chosenToken} from '../../pages/gateway/chosenGateway.ts';
import type {RemoteGateway} from '../../pages/gateway/remoteGateway.ts';
import {asUsage, UsageError} from './usageError.ts';

/** Returns the gateway on another machine that the user chose. Undefined if the user chose none. @throws UsageError */
export function remoteOf(values: {
  readonly gateway?: string | undefined;
  readonly token?: string | undefined;
}): RemoteGateway | undefined {
  const gateway = asUsage(() => chosenGateway(values));
  if (gateway === undefined && values.token !== undefined)
    throw new UsageError('--token is for a gateway: --gateway is missing');
  return gateway;
}

/** Returns the token of a gateway: that of the option, or that of the environment variable. @throws UsageError */
export function gatewayTokenOf({token}: {readonly token?: string | undefined}): string {
  return asUsage(() => chosenToken(token));
}
