//! Computes how likely it is that an endpoint gives up on a path, to detect runs that are given up without a cause.

use std::time::Duration;

use netsim::link::{Direction, LinkParams, LossModel};

use crate::exchange::GivenUp;
use crate::scenario::{Scenario, Transport};

/// Returns an upper bound of the probability that the run of this scenario is given up.
///
/// An endpoint gives up when a certain number of transmissions in a row were not answered. A transmission is not
/// answered if it or its answer is lost. Such a row may begin with any packet of the data, of the handshake or of the
/// close.
pub fn chance_of_giving_up(scenario: &Scenario, given_up: GivenUp) -> f64 {
    if given_up.longest_rtt >= patience(scenario) {
        return 1.0; // the answers were still in flight
    }
    let lost = |direction| {
        let first = match direction {
            Direction::Down => &scenario.path.down,
            Direction::Up => &scenario.path.up,
        };
        let later = scenario.changes.iter().filter(|(_, of, _)| *of == direction).map(|(_, _, params)| params);
        let moved = scenario.hand_overs.iter().map(|(_, down, up)| match direction {
            Direction::Down => down,
            Direction::Up => up,
        });
        let by_loss = later.chain(moved).chain([first]).map(chance_of_loss_after_loss).fold(0.0, f64::max);
        1.0 - (1.0 - by_loss) * (1.0 - given_up.queue_full[direction as usize])
    };
    let unanswered = 1.0 - (1.0 - lost(Direction::Down)) * (1.0 - lost(Direction::Up));
    if given_up.only_the_close {
        // TCP: the last ACK was lost and the RTO is longer than TIME-WAIT. SCTP: the SHUTDOWN COMPLETE was lost and
        // retransmitted data arrives late, or the SHUTDOWN COMPLETE overtook other packets (RFC 9260 §8.4).
        return unanswered.max(chance_of_overtaking(scenario));
    }
    let (handshake, data) = sendings(&scenario.transport, given_up.longest_rtt);
    let packets =
        4 + scenario.total_bytes().div_ceil(usize::from(scenario.path.mtu_bytes - 100).min(scenario.message_bytes));
    let by_chance = 2.0 * unanswered.powi(handshake) + packets as f64 * unanswered.powi(data);
    // A flight of DTLS is sent again as it was, and finds the same empty queue. CoDel can drop the same packet each time.
    let is_dtls = matches!(&scenario.transport, Transport::Sctp { client, .. } if client.dtls);
    if given_up.only_handshakes && is_dtls {
        return given_up.queue_full.into_iter().fold(by_chance, f64::max);
    }
    by_chance
}

/// Returns the probability that a packet overtakes others, on the worst of the scenario's links.
fn chance_of_overtaking(scenario: &Scenario) -> f64 {
    let changed = scenario.changes.iter().map(|(_, _, params)| params);
    let moved = scenario.hand_overs.iter().flat_map(|(_, down, up)| [down, up]);
    let links = changed.chain(moved).chain([&scenario.path.down, &scenario.path.up]);
    let chance = |link: &LinkParams| match (&link.jitter, &link.reorder) {
        (Some(jitter), _) if !jitter.in_order => 1.0,
        (_, Some(reordering)) => reordering.rate,
        _ => 0.0,
    };
    links.map(chance).fold(0.0, f64::max)
}

/// Returns the shortest time from a first transmission to giving up. A timeout doubles each time it expires.
fn patience(scenario: &Scenario) -> Duration {
    match scenario.transport {
        // The first timeout is RTO.Min, 200 ms, and the longest is 60 s. There are ten retransmissions. Requests to
        // reset streams have a timer of their own, which doubles the same RTO and counts for the same limit (RFC 6525
        // §5.1.1). If the two timers expire in turn, the last of eleven expiries is after 94.2 s.
        Transport::Sctp { .. } if scenario.renews => Duration::from_secs(94),
        Transport::Sctp { .. } => Duration::from_secs(222),
        // Linux sends a SYN again after 1 s, with six retransmissions
        Transport::Tcp { .. } => Duration::from_secs(127),
        Transport::Quic { .. } => IDLE_TIMEOUT,
    }
}

/// The time without an answer after which QUIC gives up.
const IDLE_TIMEOUT: Duration = Duration::from_secs(180);

/// Returns how often a handshake packet and data are sent before the more impatient end gives up.
fn sendings(transport: &Transport, longest_rtt: Duration) -> (i32, i32) {
    match transport {
        // RFC 9260 §16: Max.Init.Retransmits 8, Association.Max.Retrans 10
        Transport::Sctp { .. } => (9, 11),
        // the probe timeout is at most 3 s at first; later it is SRTT + 4 · RTTVAR + the peer's delay, where RTTVAR is
        // at most half of SRTT
        Transport::Quic { .. } => {
            (doublings(Duration::from_secs(3)), doublings(3 * longest_rtt + Duration::from_millis(200)))
        }
        Transport::Tcp { client, server } => {
            // TCP_MAXRXTSHIFT of BSD is 12; tcp_syn_retries and tcp_retries2 of Linux are 6 and 15
            let is_bsd = |name: &str| ["classic", "reno"].contains(&name);
            let handshake = if is_bsd(client) && is_bsd(server) { 13 } else { 7 };
            let data = if is_bsd(client) || is_bsd(server) { 13 } else { 16 };
            (handshake, data)
        }
    }
}

/// Returns the number of transmissions until the idle timeout of QUIC. The second transmission follows after `first`,
/// and the time until each later transmission is twice the time before.
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

/// Returns the probability that the next packet is lost after a long row of losses. For the model of Gilbert and
/// Elliott, this probability is the largest eigenvalue of a matrix. The matrix has an entry for each pair of states:
/// the probability of a loss in the first state times the probability of the transition to the second state.
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
