import type {Scheduling} from '../http/responseOrder.ts';
import type {ServerRules} from '../http/serverRules.ts';
import type {TlsServerRules} from '../http/tls/tlsHandshake.ts';
import type {TreeRules} from '../http/treeScheduler.ts';

/**
 * A web server: in which order and in which pieces it writes responses that are ready at the same time. Over HTTP/1.1
 * every server writes the responses of a connection in the order of the requests (RFC 9112 §9.3.2), so only the rules
 * for TLS apply there.
 */
export interface Server<N extends string = string> {
  /** The name in scenario documents. */
  readonly name: N;
  /** The name for people, with the version that was measured. */
  readonly label: string;
  /** One text for users that says how the server orders responses. */
  readonly about: string;
  /**
   * How the server writes over TLS. If it is absent, the first records fit in one packet and later ones are larger, and
   * everything that is written at one time shares records.
   */
  readonly tls?: TlsServerRules;
  /** The rules for HTTP/2. Absent if the panes choose the scheduler. */
  readonly h2?: ServerRules;
  /**
   * The rules for HTTP/3. Absent if the panes choose the scheduler, or if the server lacks HTTP/3. `TreeRules` are
   * excluded: HTTP/3 has no dependencies, and its stream 0 would be taken for the root of their tree.
   */
  readonly h3?: ServerRules & {readonly scheduling: Exclude<Scheduling, TreeRules>};
  /**
   * Whether the server has no post-quantum key exchange (X25519MLKEM768), so that its first flight is a packet shorter.
   * OpenSSL has it since version 3.5, and Go since version 1.24.
   */
  readonly lacksHybridShare?: true;
  /** Whether the server has no HTTP/3, so that it cannot serve h3 panes. */
  readonly lacksH3?: true;
}
