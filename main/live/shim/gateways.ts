import {lookup} from 'node:dns/promises';
import type {Clock} from '../../net/clock.ts';
import {GatewayAssociation} from './gatewayAssociation.ts';
import type {Lane} from './lane.ts';
import {ShimError} from './shimError.ts';
import type {ShimLimits} from './shimLimits.ts';

export interface GatewaysOptions {
  /** The host name or IP address of the gateway or live server, and its UDP port. */
  readonly host: string;
  readonly port: number;
  /** `HOST:PORT`, as the user wrote it. */
  readonly authority: string;
  readonly token: string | undefined;
  readonly limits: ShimLimits;
  readonly clock: Clock;
}

/** A new lane, and whether the peer is a live server instead of a gateway. */
export interface Begun {
  readonly lane: Lane;
  readonly isPlain: boolean;
}

interface Waiting {
  readonly resolve: (begun: Begun) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Opens lanes for requests to one gateway or live server. A lane is one HTTP/1.1 connection on a stream of an
 * association. The requests are those of a shim's near end, or those of a page that is fetched over SCTP. New lanes are
 * opened on one association. When this association has ended or accepts no further requests, the next request starts
 * another association.
 */
export class Gateways {
  readonly #options: GatewaysOptions;
  #association: GatewayAssociation | undefined;
  /** All open associations. Some may accept no further requests. */
  readonly #all = new Set<GatewayAssociation>();
  #waiting: Waiting[] = [];
  #isBeginning = false;
  #isClosed = false;

  constructor(options: GatewaysOptions) {
    this.#options = options;
  }

  /** Opens a lane as soon as a stream is free. @throws ShimError if the association fails or too many requests wait */
  begin(): Promise<Begun> {
    return new Promise((resolve, reject) => {
      const {waiting} = this.#options.limits;
      if (this.#waiting.length >= waiting)
        return reject(new ShimError(503, `${waiting} requests wait for a stream already`));
      this.#waiting.push({resolve, reject});
      this.#serve();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const association of [...this.#all]) association.close();
    this.#refuse(new ShimError(502, 'the shim is ending'));
  }

  #serve(): void {
    const association = this.#association;
    if (association === undefined || association.isOver) return void this.#renew();
    while (this.#waiting.length > 0) {
      const lane = association.begin();
      if (lane === undefined) return;
      this.#waiting.shift()?.resolve({lane, isPlain: association.isPlain});
    }
  }

  async #renew(): Promise<void> {
    if (this.#isBeginning || this.#isClosed || this.#waiting.length === 0) return;
    this.#isBeginning = true;
    const {host, port, authority, token, limits, clock} = this.#options;
    const address = await lookup(host).then(
      found => found.address,
      () => undefined,
    );
    this.#isBeginning = false;
    if (address === undefined) return this.#refuse(new ShimError(502, `${authority} cannot be found`));
    if (this.#isClosed) return;
    const association = new GatewayAssociation({
      gateway: {authority, host: address, port, token},
      limits,
      clock,
      onFree: () => this.#serve(),
      onEnd: error => {
        this.#all.delete(association);
        // Requests that wait for a stream of this association fail. Another association would probably fail in the same
        // way.
        if (this.#association === association) this.#refuse(error);
      },
    });
    this.#association = association;
    this.#all.add(association);
  }

  #refuse(error: Error): void {
    for (const {reject} of this.#waiting.splice(0)) reject(error);
  }
}
