/// Decides whether the receiver acknowledges every segment immediately, as in Linux (net/ipv4/tcp_input.c).
///
/// While quick acknowledgements are left, the receiver acknowledges every segment immediately, except on an interactive
/// connection. At the start and after a duplicate, 16 are left. At least two are left when ECN shows that the sender's
/// window may be small, and at least one when the receive window has grown. None is left when more than half of the
/// receive buffer is in use.
///
/// A connection becomes interactive when the application answers soon, so that acknowledgements can wait for the
/// answers. It stops being interactive when an acknowledgement has waited in vain, when a duplicate arrives, or when
/// ECN shows that the sender's window may be small.
#[derive(Debug)]
pub struct QuickAcks {
    /// How many quick acknowledgements are left.
    left: u32,
    interactive: bool,
}

/// TCP_MAX_QUICKACKS.
const QUICK_ACKS: u32 = 16;

impl Default for QuickAcks {
    fn default() -> Self {
        QuickAcks { left: QUICK_ACKS, interactive: false }
    }
}

impl QuickAcks {
    /// Notes that the receive window has grown. As in Linux (`tcp_grow_window`), this makes the number of quick
    /// acknowledgements odd: it adds one to an even number.
    pub fn handle_grown_window(&mut self) {
        self.left |= 1;
    }

    /// Notes that more than half of the receive buffer is in use, which ends quick acknowledgements
    /// (`__tcp_select_window`).
    pub fn handle_half_full(&mut self) {
        self.left = 0;
    }

    pub fn handle_duplicate(&mut self) {
        (self.left, self.interactive) = (QUICK_ACKS, false);
    }

    /// Raises the number of quick acknowledgements to at least two, because ECN shows that the sender's window may be
    /// small.
    pub fn hurry(&mut self) {
        (self.left, self.interactive) = (self.left.max(2), false);
    }

    /// Notes that the application has answered soon after data arrived.
    pub fn answered(&mut self) {
        self.interactive = true;
    }

    /// Whether the application answers soon.
    pub fn is_interactive(&self) -> bool {
        self.interactive
    }

    /// Notes that a delayed acknowledgement has waited in vain for an answer.
    pub fn waited(&mut self) {
        self.interactive = false;
    }

    /// Notes that data was acknowledged.
    pub fn acknowledged(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// Whether the receiver currently acknowledges every segment immediately.
    pub fn is_on(&self) -> bool {
        self.left > 0 && !self.interactive
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the next acknowledgements are sent immediately.
    fn quick(acks: &mut QuickAcks) -> u32 {
        let before = acks.left;
        (0..before).for_each(|_| acks.acknowledged());
        assert!(!acks.is_on());
        before
    }

    #[test]
    fn the_first_16_segments_are_acknowledged_at_once() {
        assert_eq!(quick(&mut QuickAcks::default()), 16);
    }

    // tcp_grow_window
    #[test]
    fn a_grown_window_makes_the_number_of_quick_acknowledgements_odd() {
        let mut acks = QuickAcks::default();
        acks.handle_grown_window();
        assert_eq!(quick(&mut acks), 17);
        acks.handle_grown_window();
        acks.handle_grown_window();
        assert_eq!(quick(&mut acks), 1);
    }

    // __tcp_select_window
    #[test]
    fn a_half_full_buffer_ends_quick_acknowledgements() {
        let mut acks = QuickAcks::default();
        acks.handle_half_full();
        assert!(!acks.is_on());
    }

    #[test]
    fn an_interactive_connection_has_no_quick_acknowledgements_until_one_has_waited_in_vain() {
        let mut acks = QuickAcks::default();
        acks.answered();
        assert!(!acks.is_on());
        acks.waited();
        assert!(acks.is_on());
        acks.answered();
        acks.handle_duplicate();
        assert!(acks.is_on());
    }
}
