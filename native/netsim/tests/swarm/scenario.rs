use std::sync::Arc;
use std::time::Duration;

use netsim::congestion::{self, Kind};
use netsim::link::{
    CapacityTrace, CoDelParams, Direction, Distribution, DualPi2Params, Duplication, FqCoDelParams, Jitter, LinkParams,
    LossApplies, LossAt, LossModel, Opportunities, PathParams, PieParams, PolicerParams, QueueKind, Reordering, Steps,
    TraceParams,
};
use netsim::packet::EcnMode;
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
    /// When the client moves to another path, with its links down and up, in order of time.
    pub hand_overs: Vec<(SimTime, LinkParams, LinkParams)>,
    /// The size in bytes of each object that the server sends.
    pub objects: Vec<usize>,
    /// How many bytes the client sends.
    pub upload: usize,
    /// The size of a message in bytes, for transports with messages.
    pub message_bytes: usize,
    pub buffer_bytes: u64,
    /// The congestion control of both ends over TCP and QUIC; `None` means the congestion control of the profile.
    pub congestion: Option<Kind>,
    /// What client and server want of ECN, over TCP and QUIC.
    pub ecn: [EcnMode; 2],
    /// Whether the client renews each stream once, over SCTP. Both directions of a renewed stream are reset (RFC 6525).
    pub renews: bool,
    /// Whether the handshake takes no time, over TCP and SCTP.
    pub free_set_up: bool,
    /// Whether both ends have unlimited windows, over TCP and SCTP.
    pub unlimited_window: bool,
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
            let mut dice_of_starts = Dice(random_stream(seed, "swarm/dtls"));
            client.dtls = dice_of_starts.below(3) == 0;
            client.data_with_cookie_echo = dice_of_starts.below(2) == 0;
        }
        let mut dice_of_quic = Dice(random_stream(seed, "swarm/quic"));
        if dice_of_quic.below(3) == 0 {
            transport = Transport::Quic { client: dice_of_quic.quic(), server: dice_of_quic.quic() };
            path.mtu_bytes = path.mtu_bytes.max(1280);
        }
        let mut dice_of_congestion = Dice(random_stream(seed, "swarm/congestion"));
        let (first, later) = congestion::LIST.split_at(3);
        let congestion = first.get(dice_of_congestion.below(2 * first.len()));
        let mut dice_of_servers = Dice(random_stream(seed, "swarm/servers"));
        let congestion = later.get(dice_of_servers.below(5 * later.len())).or(congestion).copied();
        let mut dice_of_ecn = Dice(random_stream(seed, "swarm/ecn"));
        let ecn = [0, 1].map(|_| EcnMode::ALL[dice_of_ecn.below(EcnMode::ALL.len())]);
        let mut dice_of_datagrams = Dice(random_stream(seed, "swarm/datagrams"));
        if let Transport::Quic { client, server } = &mut transport {
            for options in [client, server] {
                dice_of_datagrams.datagrams(options);
                let first_ms = dice_of_servers.scaled(10.0, 10_000.0) as u64;
                options.first_timeout = (dice_of_servers.below(3) == 0).then(|| Duration::from_millis(first_ms));
            }
        }
        let mut dice_of_loss = Dice(random_stream(seed, "swarm/loss"));
        for link in changes.iter_mut().map(|(_, _, link)| link).chain([&mut path.down, &mut path.up]) {
            link.loss_at = [LossAt::Entry, LossAt::Exit][dice_of_loss.below(2)];
        }
        let mut dice_of_links = Dice(random_stream(seed, "swarm/links"));
        for link in changes.iter_mut().map(|(_, _, link)| link).chain([&mut path.down, &mut path.up]) {
            dice_of_links.enrich(link);
        }
        let mut dice_of_moves = Dice(random_stream(seed, "swarm/hand-overs"));
        let hand_overs = dice_of_moves.hand_overs(&mut transport, path.mtu_bytes);
        let mut dice_of_assumptions = Dice(random_stream(seed, "swarm/assumptions"));
        let [free_set_up, unlimited_window] = [0, 1].map(|_| dice_of_assumptions.below(8) == 0);
        if let Transport::Sctp { client, server } = &mut transport {
            [client.unlimited_window, server.unlimited_window] = [unlimited_window; 2];
        }
        Scenario {
            seed,
            transport,
            path,
            changes,
            hand_overs,
            objects,
            upload: dice.scaled(1.0, 100_000.0) as usize,
            message_bytes: dice.scaled(200.0, 20_000.0) as usize,
            buffer_bytes: dice.scaled(20_000.0, 4_000_000.0) as u64,
            congestion,
            ecn,
            renews: dice_of_streams.below(2) == 0,
            free_set_up,
            unlimited_window,
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

    /// Gives a link active queue management, jitter, reordering, duplicates, a policer and a trace of its capacity,
    /// each with its own probability of less than one half.
    fn enrich(&mut self, link: &mut LinkParams) {
        link.queue = match self.below(10) {
            0 => QueueKind::CoDel(CoDelParams::default()),
            1 => QueueKind::FqCoDel(FqCoDelParams { flows: 1 + self.below(4) as u32, ..FqCoDelParams::default() }),
            2 => QueueKind::Pie(PieParams::default()),
            3 => QueueKind::DualPi2(DualPi2Params::default()),
            _ => QueueKind::DropTail,
        };
        let correlation = self.unit();
        link.jitter = (self.below(5) == 0).then(|| Jitter {
            spread: link.delay.mul_f64(0.5 * self.unit()),
            distribution: [Distribution::Uniform, Distribution::Normal, Distribution::Pareto][self.below(3)],
            correlation,
            in_order: self.below(2) == 0,
        });
        link.reorder = (self.below(8) == 0).then(|| Reordering {
            rate: 0.3 * self.unit(),
            correlation,
            gap: 1 + self.below(5) as u32,
        });
        link.duplicate = (self.below(8) == 0).then(|| Duplication { rate: 0.3 * self.unit(), correlation });
        link.policer = (self.below(10) == 0)
            .then(|| PolicerParams { rate_bps: link.rate_bps, burst_bytes: self.scaled(20_000.0, 200_000.0) as u64 });
        link.trace = (self.below(6) == 0).then(|| {
            let trace = Arc::new(self.trace(link.rate_bps));
            let start = trace.period().mul_f64(0.999 * self.unit());
            TraceParams { trace, start, repeats: self.below(3) > 0 }
        });
    }

    /// Returns a trace whose rate varies from 0 to 1.6 times this rate, or a list of times at which packets can be
    /// sent. Each step of the rate and each gap between two such times lasts at most 2 s.
    fn trace(&mut self, rate_bps: u64) -> CapacityTrace {
        if rate_bps > 1_000_000 || self.below(2) == 0 {
            let mut at = Duration::ZERO;
            let rows = (0..1 + self.below(20)).map(|_| {
                let start = at;
                at += Duration::from_micros(self.scaled(1000.0, 2_000_000.0) as u64);
                (start, (rate_bps as f64 * 2.0 * (self.unit() - 0.2).max(0.0)) as u64)
            });
            let mut rows: Vec<_> = rows.collect();
            rows[0].1 = rate_bps;
            let steps = Steps::new(rows, at).unwrap_or_else(|| unreachable!("times increase from 0"));
            return CapacityTrace::Rates(steps);
        }
        let gap_ms = (1504.0 * 8000.0 / rate_bps as f64).clamp(1.0, 1000.0);
        let mut at_ms = 1;
        let times = (0..1 + self.below(100)).map(|_| {
            at_ms += (2.0 * gap_ms * self.unit()) as u32;
            at_ms
        });
        let list = Opportunities::new(times.collect()).unwrap_or_else(|| unreachable!("times are in order"));
        CapacityTrace::Opportunities(list)
    }

    fn transport(&mut self) -> Transport {
        if self.below(2) == 0 {
            return Transport::Sctp { client: self.sctp(), server: self.sctp() };
        }
        let profiles = ["classic", "modern", "reno", "reference-a", "reference-b", "reference-c", "reference-d"];
        let (client, server) = (profiles[self.below(profiles.len())], profiles[self.below(profiles.len())]);
        Transport::Tcp { client, server }
    }

    /// Returns up to three hand-overs, which QUIC has more often than other transports. Also lets the QUIC server
    /// accept that the client changes its address.
    fn hand_overs(&mut self, transport: &mut Transport, mtu_bytes: u16) -> Vec<(SimTime, LinkParams, LinkParams)> {
        let one_in = if let Transport::Quic { server, .. } = transport {
            server.migration = true;
            2
        } else {
            8
        };
        if self.below(one_in) > 0 {
            return Vec::new();
        }
        let mut hand_overs: Vec<_> = (0..1 + self.below(3))
            .map(|_| {
                let (mut down, mut up) = (self.link(mtu_bytes), self.link(mtu_bytes));
                [&mut down, &mut up].into_iter().for_each(|link| self.enrich(link));
                (SimTime::from_ms(self.scaled(1.0, 20_000.0) as u64), down, up)
            })
            .collect();
        hand_overs.sort_by_key(|(at, ..)| *at);
        hand_overs
    }

    fn quic(&mut self) -> quic::Options {
        let profile = quic::Profile::ALL[self.below(quic::Profile::ALL.len())];
        let scheduler = [quic::Scheduler::RoundRobin, quic::Scheduler::FirstCome][self.below(2)];
        let resumes = self.below(2) == 0;
        quic::Options { scheduler, resumes, early_data: true, ..quic::Options::new(profile) }
    }

    fn datagrams(&mut self, options: &mut quic::Options) {
        options.early_data = self.below(4) > 0;
        options.compresses_certificate = self.below(2) == 0;
        options.lacks_hybrid_share = self.below(2) == 0;
        options.searches_mtu = self.below(3) > 0;
        options.first_datagram_bytes = (self.below(3) == 0).then(|| self.scaled(1200.0, 10_000.0) as u16);
        options.first_window_packets = (self.below(3) == 0).then(|| self.scaled(2.0, 1000.0) as u16);
        options.rttvar_factor = if self.below(3) == 0 { 2 } else { 4 };
        options.decimates_acks = self.below(3) == 0;
        options.paces_each = self.below(3) == 0;
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

    /// Returns a random link: 10 kbps–100 Mbps, a delay of 0.5–1000 ms, loss up to 40 %, also in bursts, and a queue of
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
            jitter: None,
            reorder: None,
            duplicate: None,
            policer: None,
            loss,
            loss_applies: LossApplies::All,
            loss_at: LossAt::Entry,
            queue: QueueKind::DropTail,
            queue_packets: self.scaled(2.0, 1000.0) as u32,
            queue_bytes,
        }
    }
}
