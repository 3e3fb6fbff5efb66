//! How likely a path makes an endpoint give up, so that a run that ends so without cause is noticed.

use std::time::Duration;

use netsim::link::{Direction, LinkParams, LossModel};

use crate::exchange::GivenUp;
use crate::scenario::{Scenario, Transport};

/// The chance that the scenario's run is given up as it was, at most.
///
/// An endpoint gives up when so many sendings in a row were not answered. One is not answered when it is lost, or
/// its answer; every packet of the data, and the set-up and the close, may begin such a row.
pub fn chance_of_giving_up(scenario: &Scenario, given_up: GivenUp) -> f64 {
    if given_up.longest_rtt >= patience(&scenario.transport) {
        return 1.0; // the answers were on their way
    }
    let lost = |direction| {
        let first = match direction {
            Direction::Down => &scenario.path.down,
            Direction::Up => &scenario.path.up,
        };
        let later = scenario.changes.iter().filter(|(_, of, _)| *of == direction).map(|(_, _, params)| params);
        let by_loss = later.chain([first]).map(chance_of_loss_after_loss).fold(0.0, f64::max);
        1.0 - (1.0 - by_loss) * (1.0 - given_up.queue_full[direction as usize])
    };
    let unanswered = 1.0 - (1.0 - lost(Direction::Down)) * (1.0 - lost(Direction::Up));
    if given_up.only_the_close {
        // The last ACK was lost, and the RTO is longer than TIME-WAIT; or the SHUTDOWN COMPLETE was, and data that was
        // sent twice comes late (RFC 9260 §8.4).
        return unanswered;
    }
    let (handshake, data) = sendings(&scenario.transport, given_up.longest_rtt);
    let packets =
        4 + scenario.total_bytes().div_ceil(usize::from(scenario.path.mtu_bytes - 100).min(scenario.message_bytes));
    2.0 * unanswered.powi(handshake) + packets as f64 * unanswered.powi(data)
}

/// The shortest time from a first sending to giving up: RTO.Min, then twice as long each time, 60 s at most.
fn patience(transport: &Transport) -> Duration {
    match transport {
        // 200 ms, ten retransmissions
        Transport::Sctp { .. } => Duration::from_secs(222),
        // a SYN of Linux: 1 s, six retransmissions
        Transport::Tcp { .. } => Duration::from_secs(127),
        Transport::Quic { .. } => IDLE_TIMEOUT,
    }
}

/// QUIC's, without an answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(180);

/// Sendings of a handshake's packet and of data before an endpoint gives up, by the more impatient end.
fn sendings(transport: &Transport, longest_rtt: Duration) -> (i32, i32) {
    match transport {
        // RFC 9260 §16: Max.Init.Retransmits 8, Association.Max.Retrans 10
        Transport::Sctp { .. } => (9, 11),
        // at first 3 s at most; then SRTT, four times its variation, which is no more than half of it, and the peer's
        // delay
        Transport::Quic { .. } => {
            (doublings(Duration::from_secs(3)), doublings(3 * longest_rtt + Duration::from_millis(200)))
        }
        Transport::Tcp { client, server } => {
            // BSD's TCP_MAXRXTSHIFT, 12; Linux's tcp_syn_retries and tcp_retries2, 6 and 15
            let is_bsd = |name: &str| ["classic", "reno"].contains(&name);
            let handshake = if is_bsd(client) && is_bsd(server) { 13 } else { 7 };
            let data = if is_bsd(client) || is_bsd(server) { 13 } else { 16 };
            (handshake, data)
        }
    }
}

/// Sendings until QUIC's idle timeout, the second after `first` and each later one after twice as long.
fn doublings(first: Duration) -> i32 {
    let mut count = 1;
    let (mut at, mut timeout) = (first, first);
    while at < IDLE_TIMEOUT {
        count += 1;
        timeout *= 2;
        at += timeout;
    }
    count
}

/// The chance that one more packet of a long row is lost: for the chain of Gilbert and Elliott the largest
/// eigenvalue of [loss in a state × transition].
fn chance_of_loss_after_loss(link: &LinkParams) -> f64 {
    match &link.loss {
        LossModel::None => 0.0,
        LossModel::Bernoulli { rate } => *rate,
        LossModel::GilbertElliott { p, r, h, k } => {
            let [good, bad] = [1.0 - k, 1.0 - h];
            let [stay_good, to_bad, to_good, stay_bad] = [good * (1.0 - p), good * p, bad * r, bad * (1.0 - r)];
            let half = (stay_good + stay_bad) / 2.0;
            half + (((stay_good - stay_bad) / 2.0).powi(2) + to_bad * to_good).sqrt()
        }
        LossModel::List(_) => 1.0,
    }
}
