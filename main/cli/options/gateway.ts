import {chosenGateway, chosenToken} from '../../pages/gateway/chosenGateway.ts';
import type {RemoteGateway} from '../../pages/gateway/remoteGateway.ts';
import {asUsage, UsageError} from './usageError.ts';

/** The gateway of another machine that the user chose. Undefined if none is chosen. @throws UsageError */
export function remoteOf(values: {
  readonly gateway?: string | undefined;
  readonly token?: string | undefined;
}): RemoteGateway | undefined {
  const gateway = asUsage(() => chosenGateway(values));
  if (gateway === undefined && values.token !== undefined) throw new UsageError('--token counts with --gateway only');
  return gateway;
}

/** The token of a gateway. @throws UsageError */
export function gatewayTokenOf({token}: {readonly token?: string | undefined}): string {
  return asUsage(() => chosenToken(token));
}
