use super::{Direction, DropList, LossModel, LossProcess};

/// Who sends a packet. All sharers of a link use the same queue, but each draws the fates of its own packets. The k-th
/// packet of a page load therefore has the same fate whether or not there are other sharers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharer {
    /// A page load, by its number. All page loads draw the same fates.
    Page(u16),
    /// A flow of other traffic, by its number. Each flow draws fates of its own.
    Flow(u16),
}

impl Default for Sharer {
    fn default() -> Self {
        Sharer::Page(0)
    }
}

/// Decides which packets of each sharer are lost in one direction.
#[derive(Debug)]
pub struct Fates {
    seed: u64,
    direction: Direction,
    pages: Vec<(LossProcess, DropList)>,
    flows: Vec<LossProcess>,
}

/// Whether the loss model and the list of drops ([`DropList`]) apply to a packet. If both apply, both count the packet,
/// even if the model already loses it.
#[derive(Clone, Copy, Debug)]
pub struct FateBy {
    /// Whether the loss model draws a fate for the packet.
    pub model: bool,
    /// Whether the list of drops counts the packet.
    pub drops: bool,
}

impl FateBy {
    pub const NOTHING: FateBy = FateBy { model: false, drops: false };
}

impl Fates {
    pub fn new(seed: u64, direction: Direction) -> Self {
        Fates { seed, direction, pages: Vec::new(), flows: Vec::new() }
    }

    /// Restarts the draws of the loss model: the next packets get the fates of the first packets of a run with this
    /// seed. The lists of drops continue to count.
    pub fn restart(&mut self, seed: u64) {
        self.seed = seed;
        self.flows.clear();
        let stream = self.stream();
        for (loss, _) in &mut self.pages {
            *loss = LossProcess::new(seed, stream);
        }
    }

    pub fn set_drops(&mut self, page: u16, drops: DropList) {
        self.page(page).1 = drops;
    }

    /// Whether the list of drops of this sharer also counts packets without data.
    pub fn drops_count_all(&mut self, sharer: Sharer) -> bool {
        match sharer {
            Sharer::Page(page) => self.page(page).1.counts_all(),
            Sharer::Flow(_) => false,
        }
    }

    /// Draws the fate of the sharer's next packet. Returns true if the packet is lost. [`LossModel::List`] applies only
    /// to packets of page loads.
    pub fn draw(&mut self, sharer: Sharer, by: FateBy, model: &LossModel) -> bool {
        match sharer {
            Sharer::Page(page) => {
                let (loss, drops) = self.page(page);
                let is_drawn = by.model && loss.draw(model);
                let is_dropped = by.drops && drops.count();
                is_drawn || is_dropped
            }
            Sharer::Flow(flow) => by.model && !matches!(model, LossModel::List(_)) && self.flow(flow).draw(model),
        }
    }

    fn page(&mut self, number: u16) -> &mut (LossProcess, DropList) {
        let number = usize::from(number);
        while self.pages.len() <= number {
            self.pages.push((LossProcess::new(self.seed, self.stream()), DropList::default()));
        }
        &mut self.pages[number]
    }

    fn flow(&mut self, number: u16) -> &mut LossProcess {
        while self.flows.len() <= usize::from(number) {
            let name = format!("{}/flow/{}", self.stream(), self.flows.len());
            self.flows.push(LossProcess::new(self.seed, &name));
        }
        &mut self.flows[usize::from(number)]
    }

    /// The name of the random stream of page loads.
    fn stream(&self) -> &'static str {
        match self.direction {
            Direction::Down => "loss/down",
            Direction::Up => "loss/up",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::link::LossApplies;

    const BY_MODEL: FateBy = FateBy { model: true, drops: false };

    fn drawn(fates: &mut Fates, sharer: Sharer, model: &LossModel) -> Vec<bool> {
        (0..200).map(|_| fates.draw(sharer, BY_MODEL, model)).collect()
    }

    #[test]
    fn packets_of_other_sharers_change_no_fate_of_a_page() {
        let model = LossModel::GilbertElliott { p: 0.1, r: 0.3, h: 0.2, k: 0.99 };
        let alone = drawn(&mut Fates::new(1, Direction::Down), Sharer::Page(0), &model);
        let mut fates = Fates::new(1, Direction::Down);
        let mut shared = Vec::new();
        for _ in 0..200 {
            fates.draw(Sharer::Flow(0), BY_MODEL, &model);
            shared.push(fates.draw(Sharer::Page(0), BY_MODEL, &model));
            fates.draw(Sharer::Page(1), BY_MODEL, &model);
        }
        assert_eq!(shared, alone);
        assert_eq!(drawn(&mut Fates::new(1, Direction::Down), Sharer::Page(1), &model), alone, "pages draw the same");
    }

    #[test]
    fn each_flow_draws_fates_of_its_own() {
        let model = LossModel::Bernoulli { rate: 0.5 };
        let mut fates = Fates::new(1, Direction::Up);
        let [page, first, second] =
            [Sharer::Page(0), Sharer::Flow(0), Sharer::Flow(1)].map(|sharer| drawn(&mut fates, sharer, &model));
        assert!(page != first && first != second && page != second);
    }

    #[test]
    fn lists_of_packets_name_packets_of_pages_only() {
        let model = LossModel::List(BTreeSet::from([0]));
        let mut fates = Fates::new(1, Direction::Down);
        assert!(!fates.draw(Sharer::Flow(0), BY_MODEL, &model));
        assert!(fates.draw(Sharer::Page(1), BY_MODEL, &model));
        fates.set_drops(1, DropList::new(BTreeSet::from([0]), LossApplies::All));
        let by_drops = FateBy { model: false, drops: true };
        let sharers = [Sharer::Flow(0), Sharer::Page(0), Sharer::Page(1), Sharer::Page(1)];
        assert_eq!(sharers.map(|sharer| fates.draw(sharer, by_drops, &LossModel::None)), [false, false, true, false]);
        assert!(fates.drops_count_all(Sharer::Page(1)) && !fates.drops_count_all(Sharer::Flow(1)));
    }

    #[test]
    fn a_restart_gives_all_sharers_the_first_fates_again() {
        let model = LossModel::Bernoulli { rate: 0.5 };
        let sharers = [Sharer::Page(0), Sharer::Page(1), Sharer::Flow(1)];
        let of = |fates: &mut Fates| sharers.map(|sharer| drawn(fates, sharer, &model));
        let mut fates = Fates::new(1, Direction::Down);
        let first = of(&mut fates);
        fates.restart(1);
        assert_eq!(of(&mut fates), first);
        fates.restart(2);
        assert_eq!(of(&mut fates), of(&mut Fates::new(2, Direction::Down)));
    }
}
