use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

use crate::random::random_stream;

/// One random number for each packet of a sender. Without correlation, the random number of a packet depends only on
/// the seed, the name of the random stream, and the packet's number. It does not depend on which of the earlier packets
/// drew a number.
#[derive(Debug)]
pub(super) struct Draws {
    seed: u64,
    name: String,
    /// The generator, and the packet whose random number it gives next; `None` until a packet draws.
    rng: Option<(ChaCha8Rng, u64)>,
    last: u32,
}

impl Draws {
    pub fn new(seed: u64, name: String) -> Self {
        Draws { seed, name, rng: None, last: 0 }
    }

    /// Returns a random number for packet `number` that resembles the previous random number (netem's `get_crandom`).
    /// With the correlation 0 it is independent and uniformly distributed.
    pub fn correlated(&mut self, number: u64, correlation: f64) -> u32 {
        let random = self.random(number);
        if correlation == 0.0 {
            return random;
        }
        let rho = (correlation * 4_294_967_296.0) as u64;
        self.last = ((u64::from(random) * ((1 << 32) - rho) + u64::from(self.last) * rho) >> 32) as u32;
        self.last
    }

    /// Whether an event of this probability happens to packet `number`.
    pub fn is_below(&mut self, number: u64, correlation: f64, probability: f64) -> bool {
        f64::from(self.correlated(number, correlation)) < probability * 4_294_967_296.0
    }

    fn random(&mut self, number: u64) -> u32 {
        let (rng, next) = self.rng.get_or_insert_with(|| (random_stream(self.seed, &self.name), 0));
        if *next != number {
            rng.set_word_pos(number.into());
        }
        *next = number + 1;
        rng.next_u32()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_draws_the_same_number_whether_others_before_it_drew() {
        let all: Vec<u32> = {
            let mut draws = Draws::new(1, "jitter/down".to_owned());
            (0..100).map(|number| draws.correlated(number, 0.0)).collect()
        };
        let mut draws = Draws::new(1, "jitter/down".to_owned());
        for number in [3, 4, 50, 51, 99] {
            assert_eq!(draws.correlated(number, 0.0), all[number as usize]);
        }
    }

    #[test]
    fn correlated_numbers_resemble_those_before_them() {
        let of = |correlation: f64| -> f64 {
            let mut draws = Draws::new(1, "jitter/down".to_owned());
            let all: Vec<f64> = (0..20_000).map(|number| draws.correlated(number, correlation).into()).collect();
            let mean = all.iter().sum::<f64>() / all.len() as f64;
            let variance: f64 = all.iter().map(|value| (value - mean).powi(2)).sum();
            all.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum::<f64>() / variance
        };
        for correlation in [0.0, 0.25, 0.9] {
            assert!((of(correlation) - correlation).abs() < 0.03, "{correlation}: {}", of(correlation));
        }
        let mut draws = Draws::new(1, "jitter/down".to_owned());
        let first = draws.correlated(0, 0.0);
        assert_eq!([draws.correlated(1, 1.0), draws.correlated(2, 1.0)], [0, 0], "{first}: the state begins at 0");
    }

    #[test]
    fn events_happen_with_their_probability() {
        for (probability, correlation) in [(0.0, 0.0), (0.02, 0.0), (0.5, 0.3), (1.0, 0.0)] {
            let mut draws = Draws::new(1, "reorder/up".to_owned());
            let count = (0..50_000).filter(|number| draws.is_below(*number, correlation, probability)).count();
            assert!((count as f64 / 50_000.0 - probability).abs() < 0.01, "{probability}: {count}");
        }
    }
}
