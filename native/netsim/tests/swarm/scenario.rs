use std::time::Duration;

use netsim::link::{Direction, LinkParams, LossApplies, LossAt, LossModel, PathParams};
use netsim::random::random_stream;
use netsim::time::SimTime;
use netsim::{quic, sctp};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// A random exchange over a random path, which depends only on the seed.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub transport: Transport,
    pub path: PathParams,
    pub changes: Vec<(SimTime, Direction, LinkParams)>,
    /// The size in bytes of each object that the server sends.
    pub objects: Vec<usize>,
    /// How many bytes the client sends.
    pub upload: usize,
    /// The size of a message in bytes, for transports with messages.
    pub message_bytes: usize,
    pub buffer_bytes: u64,
    /// Whether the client renews each stream once, over SCTP.
    pub renews: bool,
}

#[derive(Clone, Debug)]
pub enum Transport {
    Tcp { client: &'static str, server: &'static str },
    Sctp { client: sctp::Options, server: sctp::Options },
    Quic { client: quic::Options, server: quic::Options },
}

impl Scenario {
    pub fn random(seed: u64) -> Self {
        let mut dice = Dice(random_stream(seed, "swarm"));
        let mtu_bytes = [576, 1280, 1500, 1500, 1500, 9000][dice.below(6)];
        let mut path = PathParams { down: dice.link(mtu_bytes), up: dice.link(mtu_bytes), mtu_bytes };
        let mut changes: Vec<_> = (0..dice.below(4))
            .map(|_| {
                let direction = if dice.below(2) == 0 { Direction::Down } else { Direction::Up };
                (SimTime::from_ms(dice.scaled(1.0, 20_000.0) as u64), direction, dice.link(mtu_bytes))
            })
            .collect();
        let mut left = dice.scaled(100.0, 1_000_000.0) as usize;
        let mut objects = Vec::new();
        for _ in 0..1 + dice.below(24) {
            let bytes = if dice.below(8) == 0 { 0 } else { dice.below(left + 1) };
            left -= bytes;
            objects.push(bytes);
        }
        let mut transport = dice.transport();
        // options that were added later have their own random numbers, so that the scenario of a seed does not change
        let mut dice_of_streams = Dice(random_stream(seed, "swarm/streams"));
        if let Transport::Sctp { client, server } = &mut transport {
            [client.idata, server.idata] = [0, 1].map(|_| dice_of_streams.below(3) > 0);
        }
        let mut dice_of_quic = Dice(random_stream(seed, "swarm/quic"));
        if dice_of_quic.below(3) == 0 {
            transport = Transport::Quic { client: dice_of_quic.quic(), server: dice_of_quic.quic() };
            path.mtu_bytes = path.mtu_bytes.max(1280);
        }
        let mut dice_of_loss = Dice(random_stream(seed, "swarm/loss"));
        for link in changes.iter_mut().map(|(_, _, link)| link).chain([&mut path.down, &mut path.up]) {
            link.loss_at = [LossAt::Entry, LossAt::Exit][dice_of_loss.below(2)];
        }
        Scenario {
            seed,
            transport,
            path,
            changes,
            objects,
            upload: dice.scaled(1.0, 100_000.0) as usize,
            message_bytes: dice.scaled(200.0, 20_000.0) as usize,
            buffer_bytes: dice.scaled(20_000.0, 4_000_000.0) as u64,
            renews: dice_of_streams.below(2) == 0,
        }
    }

    pub fn total_bytes(&self) -> usize {
        self.objects.iter().sum::<usize>() + self.upload
    }
}

struct Dice(ChaCha8Rng);

impl Dice {
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.unit() * limit as f64) as usize
    }

    /// Returns a number between `low` and `high` that is uniform on a logarithmic scale.
    fn scaled(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn transport(&mut self) -> Transport {
        if self.below(2) == 0 {
            return Transport::Sctp { client: self.sctp(), server: self.sctp() };
        }
        let profiles = ["classic", "modern", "reno", "reference-a", "reference-b", "reference-c", "reference-d"];
        let (client, server) = (profiles[self.below(profiles.len())], profiles[self.below(profiles.len())]);
        Transport::Tcp { client, server }
    }

    fn quic(&mut self) -> quic::Options {
        let profile = quic::Profile::ALL[self.below(quic::Profile::ALL.len())];
        let scheduler = [quic::Scheduler::RoundRobin, quic::Scheduler::FirstCome][self.below(2)];
        quic::Options { scheduler, zero_rtt: self.below(2) == 0, ..quic::Options::new(profile) }
    }

    fn sctp(&mut self) -> sctp::Options {
        let profile = sctp::Profile::ALL[self.below(sctp::Profile::ALL.len())];
        let weights = (0..self.below(8)).map(|_| 1 + self.below(20) as u16).collect();
        let scheduler = match self.below(3) {
            0 => sctp::SchedulerPolicy::RoundRobin,
            1 => sctp::SchedulerPolicy::FirstCome,
            _ => sctp::SchedulerPolicy::Weighted(weights),
        };
        sctp::Options { scheduler, ..sctp::Options::new(profile, self.scaled(1.0, 65.0) as u16) }
    }

    /// Returns a random link: 10 kbps–100 Mbps, an RTT of 1–2000 ms, loss up to 40 %, also in bursts, and a queue of
    /// 2–1000 packets.
    fn link(&mut self, mtu_bytes: u16) -> LinkParams {
        let loss = match self.below(5) {
            0 => LossModel::None,
            1 | 2 => LossModel::Bernoulli { rate: 0.1 * self.unit() },
            3 => LossModel::Bernoulli { rate: 0.4 * self.unit() },
            _ => LossModel::GilbertElliott {
                p: 0.05 * self.unit(),
                r: 0.1 + 0.9 * self.unit(),
                h: 0.5 * self.unit(),
                k: 1.0 - 0.05 * self.unit(),
            },
        };
        let queue_bytes = (self.below(4) == 0).then(|| u64::from(mtu_bytes) * (2 + self.below(40)) as u64);
        LinkParams {
            trace: None,
            rate_bps: self.scaled(10_000.0, 100_000_000.0) as u64,
            delay: Duration::from_micros(self.scaled(500.0, 1_000_000.0) as u64),
            delay_trace: None,
            loss,
            loss_applies: LossApplies::All,
            loss_at: LossAt::Entry,
            queue_packets: self.scaled(2.0, 1000.0) as u32,
            queue_bytes,
        }
    }
}
