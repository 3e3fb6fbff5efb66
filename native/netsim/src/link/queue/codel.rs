use std::time::Duration;

use super::{Discarded, Discipline, Drop, Fifo, LARGE_PACKET_BYTES, LinkError, Room, Waiting, check_time};
use crate::time::SimTime;

/// The settings of CoDel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDelParams {
    /// How long packets may wait in a standing queue.
    pub target: Duration,
    /// The queue begins to drop when, for this long, every packet that left it had waited for at least the target. The
    /// interval should be about the longest usual RTT.
    pub interval: Duration,
    /// Whether packets of transports that use ECN are marked instead of dropped (RFC 8289, RFC 3168).
    pub marks: bool,
    /// Packets of transports that use ECN are marked if they have waited longer than this (Linux: `ce_threshold`).
    pub mark_from: Option<Duration>,
}

impl Default for CoDelParams {
    /// The values are those of RFC 8289 §3.2, §4.2 and §4.3.
    fn default() -> Self {
        CoDelParams {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            marks: true,
            mark_from: None,
        }
    }
}

impl CoDelParams {
    pub(super) fn validate(&self) -> Result<(), LinkError> {
        check_time("queue.targetNs", self.target)?;
        check_time("queue.intervalNs", self.interval)?;
        self.mark_from.map_or(Ok(()), |time| check_time("queue.markFromNs", time))
    }
}

/// Controlled delay (RFC 8289).
#[derive(Debug)]
pub struct CoDel<T> {
    pub params: CoDelParams,
    fifo: Fifo<T>,
    control: Control,
}

/// The state of CoDel's control law. The names are those of RFC 8289 §5.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// The time at which the conditions of [`Control::may_drop`] will have held for a whole interval; `None` while they
    /// do not hold.
    first_above_time: Option<SimTime>,
    is_dropping: bool,
    drop_next: SimTime,
    count: u32,
    last_count: u32,
}

impl Control {
    /// Drops or marks the packets that the control law demands, and returns the next packet of the queue.
    /// `others_bytes` are the bytes in other queues of the link.
    pub fn dequeue<T>(
        &mut self,
        params: &CoDelParams,
        fifo: &mut Fifo<T>,
        others_bytes: u64,
        now: SimTime,
        discarded: &mut Discarded<T>,
    ) -> Option<Waiting<T>> {
        let mut packet = fifo.pop();
        let may_drop = self.may_drop(params, packet.as_ref(), fifo.bytes() + others_bytes, now);
        if self.is_dropping {
            self.is_dropping &= may_drop;
            while self.is_dropping && now >= self.drop_next {
                self.count = self.count.saturating_add(1);
                if params.marks && packet.as_mut().is_some_and(Waiting::mark) {
                    self.drop_next = self.after_interval(params, self.drop_next);
                    break;
                }
                discard(packet, now, discarded);
                packet = fifo.pop();
                self.is_dropping = self.may_drop(params, packet.as_ref(), fifo.bytes() + others_bytes, now);
                if self.is_dropping {
                    self.drop_next = self.after_interval(params, self.drop_next);
                }
            }
        } else if may_drop {
            if !(params.marks && packet.as_mut().is_some_and(Waiting::mark)) {
                discard(packet, now, discarded);
                packet = fifo.pop();
                self.may_drop(params, packet.as_ref(), fifo.bytes() + others_bytes, now);
            }
            self.begin_dropping(params, now);
        }
        if let (Some(from), Some(packet)) = (params.mark_from, packet.as_mut())
            && now.saturating_since(packet.entered) > from
        {
            packet.mark();
        }
        packet
    }

    /// Counts packets that were dropped for another reason. They are signals of congestion too.
    pub fn note_dropped(&mut self, packets: u32) {
        self.count = self.count.saturating_add(packets);
    }

    /// Whether the packet that leaves the queue now may be dropped. This is so if two conditions hold for this packet
    /// and for all packets of the interval before: the packet has waited for at least the target, and it leaves more
    /// than [`LARGE_PACKET_BYTES`] behind.
    fn may_drop<T>(
        &mut self,
        params: &CoDelParams,
        packet: Option<&Waiting<T>>,
        backlog_bytes: u64,
        now: SimTime,
    ) -> bool {
        let is_above = packet.is_some_and(|packet| now.saturating_since(packet.entered) >= params.target)
            && backlog_bytes > LARGE_PACKET_BYTES;
        match self.first_above_time {
            _ if !is_above => self.first_above_time = None,
            None => self.first_above_time = Some(now + params.interval),
            Some(time) => return now >= time,
        }
        false
    }

    fn begin_dropping(&mut self, params: &CoDelParams, now: SimTime) {
        // as in Linux, if dropping ended recently, the count continues from the number of drops since dropping last
        // began (RFC 8289 §5.5)
        let since = self.count.saturating_sub(self.last_count);
        self.is_dropping = true;
        let is_recent = now.saturating_since(self.drop_next) < params.interval * 16;
        self.count = if since > 1 && is_recent { since } else { 1 };
        self.last_count = self.count;
        self.drop_next = self.after_interval(params, now);
    }

    /// Returns the time of the next drop after a drop at `time`. By the control law (RFC 8289 §3.3), the time between
    /// drops is the interval divided by the square root of the number of drops.
    fn after_interval(&self, params: &CoDelParams, time: SimTime) -> SimTime {
        // division and square root are exact to the last bit on every platform (IEEE 754)
        let ns = params.interval.as_nanos() as f64 / f64::from(self.count).sqrt();
        time + Duration::from_nanos(ns as u64)
    }
}

fn discard<T>(packet: Option<Waiting<T>>, now: SimTime, discarded: &mut Discarded<T>) {
    if let Some(Waiting { item, .. }) = packet {
        discarded.push_back((now, Drop::Early, item));
    }
}

impl<T> CoDel<T> {
    pub fn new(params: CoDelParams) -> Self {
        CoDel { params, fifo: Fifo::default(), control: Control::default() }
    }
}

impl<T> Discipline<T> for CoDel<T> {
    fn enqueue(&mut self, _: SimTime, packet: Waiting<T>, room: Room, _: &mut Discarded<T>) -> Result<(), Drop> {
        if !room.holds(self.fifo.packets() + 1, self.fifo.bytes() + packet.header.bytes as u64) {
            return Err(Drop::QueueFull);
        }
        self.fifo.push(packet);
        Ok(())
    }

    fn dequeue(&mut self, now: SimTime, discarded: &mut Discarded<T>) -> Option<Waiting<T>> {
        self.control.dequeue(&self.params, &mut self.fifo, 0, now, discarded)
    }

    fn take(&mut self) -> Option<Waiting<T>> {
        self.fifo.pop()
    }

    fn packets(&self) -> usize {
        self.fifo.packets()
    }
}
