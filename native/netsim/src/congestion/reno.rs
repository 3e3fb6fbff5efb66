use std::time::Duration;

use super::hystart::{HyStart, HyStartSample};
use super::{Avoidance, CongestionRules, Growth, Halved, Kind, LossBased, Opening, Reduction, RttSample};

/// The congestion control of RFC 5681.
pub const KIND: Kind = Kind { name: "reno", make: |opening| Box::new(LossBased::new(opening, Reno)) };

/// The Reno of quic-go (internal/congestion/cubic_sender.go): a loss immediately leaves 70 % of the window
/// (`OnCongestionEvent`, `renoBeta`), and HyStart ends slow start by the delay (hybrid_slow_start.go).
pub const RENO_70: Kind = Kind {
    name: "reno-70",
    make: |opening| {
        let rules = CongestionRules { halved: Halved::Cwnd, reduction: Reduction::AtOnce, ..opening.rules };
        Box::new(LossBased::new(&Opening { rules, ..*opening }, Reno70::default()))
    },
};

/// Reno in congestion avoidance: the window grows by one segment in each round trip. A loss reduces it to half of the
/// bytes in flight, or of cwnd ([`Halved`]; RFC 5681 §3.1).
#[derive(Clone, Debug)]
struct Reno;

impl Avoidance for Reno {
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64 {
        growth.cwnd
    }

    fn reduced(&mut self, _cwnd: u64, base: u64, _mss: u64) -> u64 {
        base / 2
    }
}

#[derive(Clone, Debug)]
struct Reno70 {
    hystart: HyStart,
    delay_min: Option<Duration>,
}

impl Default for Reno70 {
    fn default() -> Self {
        Reno70 { hystart: HyStart::by_delay(), delay_min: None }
    }
}

impl Avoidance for Reno70 {
    fn bytes_per_mss(&mut self, growth: &Growth) -> u64 {
        growth.cwnd
    }

    fn reduced(&mut self, _cwnd: u64, base: u64, _mss: u64) -> u64 {
        base * 7 / 10
    }

    fn ends_slow_start(&mut self, sample: &RttSample) -> bool {
        let RttSample { now, rtt, una, next, cwnd_segments, in_slow_start } = *sample;
        let min = self.delay_min.map_or(rtt, |min| min.min(rtt));
        self.delay_min = Some(min);
        let sample = HyStartSample { now, rtt, min, una, next, cwnd_segments, paced: true };
        in_slow_start && self.hystart.ends_slow_start(&sample)
    }

    fn handle_timeout(&mut self) {
        self.hystart = HyStart::by_delay();
    }
}
