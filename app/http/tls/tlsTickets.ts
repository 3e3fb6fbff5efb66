/**
 * The session tickets that a client has from one server and has not used. A client uses each ticket for one connection
 * (RFC 8446 §C.4).
 */
export class TlsTickets {
  #count = 0;

  add(tickets: number): void {
    this.#count = Math.min(this.#count + tickets, MOST_TICKETS);
  }

  /** Uses a ticket. Returns false if the client has none. */
  take(): boolean {
    if (this.#count === 0) return false;
    this.#count -= 1;
    return true;
  }
}

/** The most tickets that a client keeps for a server (`SSLClientSessionCache` of Chromium). */
const MOST_TICKETS = 2;
