use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;

use crate::random::{random_stream, uniform};

/// Decides which packets the link loses. Probabilities are 0–1. The model decides only about packets that draw a fate
/// ([`LossApplies`]). In each direction, these packets are counted from 0 for each sender.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LossModel {
    #[default]
    None,
    /// Each packet is lost independently of the others.
    Bernoulli { rate: f64 },
    /// A Markov chain of two states, good and bad, that starts in good (Gilbert 1960, Elliott 1963). The names of the
    /// parameters are those of Hasslinger & Hohlfeld 2008 and of netem's `gemodel`.
    GilbertElliott {
        /// Probability that the state turns from good to bad after a packet.
        p: f64,
        /// Probability that the state turns from bad to good after a packet.
        r: f64,
        /// Probability that a packet passes in the bad state.
        h: f64,
        /// Probability that a packet passes in the good state.
        k: f64,
    },
    /// Each page load loses exactly its packets with these numbers. Packets of other traffic are not lost. This model
    /// is for tests and for teaching.
    List(BTreeSet<u64>),
}

/// Which packets draw a fate, that is, which packets the loss model may lose.
///
/// With [`LossApplies::All`], packet k of a direction has the same fate in all loads with the same seed and loss model,
/// whether or not it carries data. Two transports that send different numbers of packets without data therefore lose
/// different data. With [`LossApplies::Data`], the k-th packet with data has the same fate. Packets without data pass.
/// They do not change the model's state, and they are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossApplies {
    #[default]
    All,
    /// Only packets with data draw a fate: TCP segments with payload, SCTP packets with DATA chunks, UDP datagrams with
    /// payload, and QUIC datagrams with data of a stream. On a live path every QUIC datagram counts as data, because it
    /// is encrypted.
    Data,
}

/// The point of the link at which packets are lost.
///
/// Both variants lose the same packets, as long as the policer and the queue drop none and the queue keeps their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossAt {
    /// Before the queue, as in dummynet.
    /// A lost packet uses neither space in the queue nor time of serialisation.
    #[default]
    Entry,
    /// After serialisation, as on a radio link. A lost packet has waited in the queue and was serialised. A packet that
    /// the policer or the queue drops draws no fate.
    Exit,
}

/// Draws the fates of the packets that one sender sends in one direction.
///
/// Each draw uses two random numbers, with every model. The random numbers of the i-th draw therefore depend only on
/// the seed, the name of the random stream and i: two paths with the same seed and the same model lose the same
/// packets, and a change of the model does not shift the random numbers of later packets.
#[derive(Clone, Debug)]
pub struct LossProcess {
    rng: ChaCha8Rng,
    next_packet: u64,
    bad: bool,
}

impl LossProcess {
    /// `name` is the name of the random stream: `loss/down` or `loss/up`, and for a flow of other traffic for example
    /// `loss/down/flow/0`.
    pub fn new(seed: u64, name: &str) -> Self {
        LossProcess { rng: random_stream(seed, name), next_packet: 0, bad: false }
    }

    /// Draws the next packet's fate. Returns true if the packet is lost.
    pub fn draw(&mut self, model: &LossModel) -> bool {
        let (loss, transition) = (uniform(&mut self.rng), uniform(&mut self.rng));
        let packet = self.next_packet;
        self.next_packet += 1;
        match model {
            LossModel::None => false,
            LossModel::Bernoulli { rate } => loss < *rate,
            LossModel::GilbertElliott { p, r, h, k } => {
                let passes = if self.bad { h } else { k };
                let leaves = if self.bad { r } else { p };
                self.bad ^= transition < *leaves;
                loss >= *passes
            }
            LossModel::List(packets) => packets.contains(&packet),
        }
    }
}

/// Packets of one page load that one direction loses in addition to those that the loss model loses. The loss model
/// draws fates as it does without the list, so the list changes no other packet's fate.
///
/// The packets to which the list applies are counted from 0, at the point of the link where the loss model draws fates
/// ([`LossAt`]).
#[derive(Clone, Debug, Default)]
pub struct DropList {
    packets: BTreeSet<u64>,
    applies: LossApplies,
    next_packet: u64,
}

impl DropList {
    pub fn new(packets: BTreeSet<u64>, applies: LossApplies) -> Self {
        DropList { packets, applies, next_packet: 0 }
    }

    /// Whether packets without data count.
    pub fn counts_all(&self) -> bool {
        self.applies == LossApplies::All
    }

    /// Counts the next packet. Returns true if the packet is lost.
    pub fn count(&mut self) -> bool {
        let packet = self.next_packet;
        self.next_packet += 1;
        self.packets.contains(&packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn losses(model: &LossModel, packets: usize) -> Vec<bool> {
        let mut process = LossProcess::new(1, "loss/down");
        (0..packets).map(|_| process.draw(model)).collect()
    }

    fn rate(losses: &[bool]) -> f64 {
        losses.iter().filter(|lost| **lost).count() as f64 / losses.len() as f64
    }

    #[test]
    fn bernoulli_loses_packets_at_its_rate() {
        assert_eq!(rate(&losses(&LossModel::Bernoulli { rate: 0.0 }, 10_000)), 0.0);
        assert_eq!(rate(&losses(&LossModel::Bernoulli { rate: 1.0 }, 10_000)), 1.0);
        // the standard deviation of the mean of 100,000 draws is 0.00095
        assert!((rate(&losses(&LossModel::Bernoulli { rate: 0.1 }, 100_000)) - 0.1).abs() < 0.004);
    }

    #[test]
    fn a_packet_lost_at_a_low_rate_is_lost_at_a_higher_rate() {
        let few = losses(&LossModel::Bernoulli { rate: 0.05 }, 10_000);
        let many = losses(&LossModel::Bernoulli { rate: 0.1 }, 10_000);
        assert!(few.iter().zip(&many).all(|(few, many)| !few || *many));
    }

    #[test]
    fn gilbert_elliott_has_its_stationary_rate_and_bursts() {
        let (p, r) = (0.02, 0.25);
        let lost = losses(&LossModel::GilbertElliott { p, r, h: 0.0, k: 1.0 }, 200_000);
        // the stationary share of the bad state is p / (p + r), and the mean length of a burst is 1 / r
        assert!((rate(&lost) - p / (p + r)).abs() < 0.005);
        let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count();
        let mean_burst = lost.iter().filter(|lost| **lost).count() as f64 / bursts as f64;
        assert!((mean_burst - 1.0 / r).abs() < 0.2, "{mean_burst}");
    }

    #[test]
    fn list_loses_exactly_the_named_packets() {
        let lost = losses(&LossModel::List(BTreeSet::from([0, 3])), 5);
        assert_eq!(lost, [true, false, false, true, false]);
    }

    #[test]
    fn a_change_of_the_model_does_not_change_later_fates() {
        let model = LossModel::Bernoulli { rate: 0.3 };
        let throughout = losses(&model, 200);
        let mut process = LossProcess::new(1, "loss/down");
        for _ in 0..100 {
            process.draw(&LossModel::None);
        }
        let after: Vec<bool> = (0..100).map(|_| process.draw(&model)).collect();
        assert_eq!(after, throughout[100..]);
    }
}
