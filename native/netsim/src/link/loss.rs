use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::random::random_stream;

/// Which packets the link loses. Probabilities are 0–1. Packets that draw a fate ([`LossApplies`]) are counted from 0
/// in each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum LossModel {
    #[default]
    None,
    /// Each packet is lost independently of the others.
    Bernoulli { rate: f64 },
    /// A Markov chain of two states, good and bad, that starts in good (Gilbert 1960, Elliott 1963). The letters are
    /// those of Hasslinger & Hohlfeld 2008 and of netem's `gemodel`.
    GilbertElliott {
        /// Probability that good turns bad after a packet.
        p: f64,
        /// Probability that bad turns good after a packet.
        r: f64,
        /// Probability that a packet passes in the bad state.
        h: f64,
        /// Probability that a packet passes in the good state.
        k: f64,
    },
    /// Exactly these packets, for tests and for teaching.
    List(BTreeSet<u64>),
}

/// Which packets draw a fate.
///
/// With [`LossApplies::All`] the k-th packet of a direction has the same fate on every path with the same seed, so a
/// transport that sends more control packets loses other data. With [`LossApplies::Data`] the k-th packet with data has
/// the same fate; packets without data pass and do not change the model's state or count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossApplies {
    #[default]
    All,
    /// TCP segments with payload, SCTP packets with DATA chunks, UDP datagrams with payload.
    Data,
}

/// Where a packet is lost.
///
/// As long as no queue overflows, the k-th packet that draws has the same fate in either place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossAt {
    /// Before the queue, as in dummynet, which the papers used. A lost packet takes neither room in the queue nor rate.
    #[default]
    Entry,
    /// Behind the link, as on a radio link. A lost packet has waited in the queue and was serialised. A packet that the
    /// queue drops draws no fate.
    Exit,
}

/// The fates of one direction's packets.
///
/// Each packet that draws takes two random numbers, whatever the model. So the i-th draw depends only on the seed, the
/// direction and i: two paths with the same seed lose the same packets, and a change of the model does not shift the
/// numbers of later packets.
#[derive(Clone, Debug)]
pub struct LossProcess {
    rng: ChaCha8Rng,
    next_packet: u64,
    bad: bool,
}

impl LossProcess {
    /// `name` is the name of the random stream, `loss/down` or `loss/up`.
    pub fn new(seed: u64, name: &str) -> Self {
        LossProcess { rng: random_stream(seed, name), next_packet: 0, bad: false }
    }

    /// Draws the next packet's fate: true if it is lost.
    pub fn draw(&mut self, model: &LossModel) -> bool {
        let (loss, transition) = (self.uniform(), self.uniform());
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

    /// Uniform in [0, 1), 53 bits.
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
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
    fn bernoulli_loses_its_share() {
        assert_eq!(rate(&losses(&LossModel::Bernoulli { rate: 0.0 }, 10_000)), 0.0);
        assert_eq!(rate(&losses(&LossModel::Bernoulli { rate: 1.0 }, 10_000)), 1.0);
        // 100,000 draws of 0.1: a standard deviation is 0.00095
        assert!((rate(&losses(&LossModel::Bernoulli { rate: 0.1 }, 100_000)) - 0.1).abs() < 0.004);
    }

    #[test]
    fn more_loss_keeps_every_packet_lost_that_was_lost_with_less() {
        let few = losses(&LossModel::Bernoulli { rate: 0.05 }, 10_000);
        let many = losses(&LossModel::Bernoulli { rate: 0.1 }, 10_000);
        assert!(few.iter().zip(&many).all(|(few, many)| !few || *many));
    }

    #[test]
    fn gilbert_elliott_has_its_stationary_rate_and_bursts() {
        let (p, r) = (0.02, 0.25);
        let lost = losses(&LossModel::GilbertElliott { p, r, h: 0.0, k: 1.0 }, 200_000);
        // stationary share of bad, p / (p + r); mean burst length 1 / r
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
    fn a_change_of_model_leaves_the_later_fates() {
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
