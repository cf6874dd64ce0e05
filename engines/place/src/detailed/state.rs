//! A legal placement that is being improved: pin positions, net boxes, and exact integer costs of
//! moves that can be taken back.

use cellwright_db::{Orient, Point};

use crate::legal::Placement;
use crate::problem::{NONE, Problem};

/// Weights are whole numbers of 1/256, so that costs are exact.
const WEIGHT: f32 = 256.0;

/// Box of a net, DBU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NetBox {
    pub(crate) lo: Point,
    pub(crate) hi: Point,
}

impl NetBox {
    const EMPTY: NetBox =
        NetBox { lo: Point::new(i32::MAX, i32::MAX), hi: Point::new(i32::MIN, i32::MIN) };

    #[inline]
    pub(crate) fn add(&mut self, p: Point) {
        self.lo.x = self.lo.x.min(p.x);
        self.lo.y = self.lo.y.min(p.y);
        self.hi.x = self.hi.x.max(p.x);
        self.hi.y = self.hi.y.max(p.y);
    }
    #[inline]
    fn length(&self) -> i64 {
        i64::from(self.hi.x) - i64::from(self.lo.x) + i64::from(self.hi.y) - i64::from(self.lo.y)
    }
    #[inline]
    fn strictly_holds(&self, p: Point) -> bool {
        self.lo.x < p.x && p.x < self.hi.x && self.lo.y < p.y && p.y < self.hi.y
    }
}

/// Where one node goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) node: u32,
    pub(crate) at: Point,
    pub(crate) orient: Orient,
}

/// Positions, boxes and the pending move.
#[derive(Debug)]
pub(crate) struct State<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) place: Placement,
    /// Location of every pin.
    pub(crate) pin: Vec<Point>,
    pub(crate) boxes: Vec<NetBox>,
    pub(crate) weight: Vec<i64>,
    stamp: Vec<u32>,
    epoch: u32,
    /// Nets of the pending move with their new boxes.
    pending: Vec<(u32, NetBox)>,
    /// Where the nodes of the pending move stood.
    before: Vec<Step>,
    /// Pins touched so far.
    pub(crate) work: u64,
}

/// Nets with more pins are rescanned only when a pin on the edge of their box moves.
const SMALL: usize = 6;

impl<'a> State<'a> {
    pub(crate) fn new(problem: &'a Problem, place: Placement) -> Self {
        let nets = &problem.nets;
        let pin: Vec<Point> = (0..nets.node.len())
            .map(|pin| match nets.node[pin] {
                NONE => nets.at[pin],
                node => problem.pin_at(pin, place.at[node as usize], place.orient[node as usize]),
            })
            .collect();
        let boxes = (0..nets.len()).map(|net| scan(&pin[nets.pins(net)])).collect();
        let weight = nets.weight.iter().map(|w| (w * WEIGHT).round() as i64).collect();
        State {
            problem,
            place,
            pin,
            boxes,
            weight,
            stamp: vec![0; nets.len()],
            epoch: 0,
            pending: Vec::new(),
            before: Vec::new(),
            work: 0,
        }
    }

    /// Weighted wire length, in 1/256 DBU.
    pub(crate) fn cost(&self) -> i64 {
        self.boxes.iter().zip(&self.weight).map(|(net, weight)| net.length() * weight).sum()
    }

    /// Moves nodes for trial and returns the change of cost. [`State::keep`] or
    /// [`State::take_back`] must follow.
    pub(crate) fn attempt(&mut self, steps: &[Step]) -> i64 {
        let nets = &self.problem.nets;
        self.epoch += 1;
        self.pending.clear();
        self.before.clear();
        for step in steps {
            let node = step.node as usize;
            let (at, orient) = (self.place.at[node], self.place.orient[node]);
            self.before.push(Step { node: step.node, at, orient });
            for &pin in nets.of_node(node) {
                let pin = pin as usize;
                let net = nets.net_of[pin] as usize;
                let new = self.problem.pin_at(pin, step.at, step.orient);
                let old = std::mem::replace(&mut self.pin[pin], new);
                self.work += 1;
                // A long net whose box does not hang on the old pin only grows.
                let grows = nets.pins(net).len() > SMALL && self.boxes[net].strictly_holds(old);
                if self.stamp[net] != self.epoch {
                    self.stamp[net] = self.epoch;
                    let start = if grows { self.boxes[net] } else { NetBox::EMPTY };
                    self.pending.push((net as u32, start));
                } else if !grows
                    && let Some(entry) = self.pending.iter_mut().find(|entry| entry.0 == net as u32)
                {
                    entry.1 = NetBox::EMPTY;
                }
            }
            self.place.at[node] = step.at;
            self.place.orient[node] = step.orient;
        }
        let mut delta = 0;
        for (net, new) in &mut self.pending {
            let net = *net as usize;
            if *new == NetBox::EMPTY {
                self.work += nets.pins(net).len() as u64;
                *new = scan(&self.pin[nets.pins(net)]);
            } else {
                for step in steps {
                    for &pin in nets.of_node(step.node as usize) {
                        if nets.net_of[pin as usize] as usize == net {
                            new.add(self.pin[pin as usize]);
                        }
                    }
                }
            }
            delta += self.weight[net] * (new.length() - self.boxes[net].length());
        }
        delta
    }

    /// Makes the pending move stay.
    pub(crate) fn keep(&mut self) {
        for (net, new) in self.pending.drain(..) {
            self.boxes[net as usize] = new;
        }
    }

    /// Takes the pending move back.
    pub(crate) fn take_back(&mut self) {
        self.pending.clear();
        while let Some(step) = self.before.pop() {
            let node = step.node as usize;
            self.place.at[node] = step.at;
            self.place.orient[node] = step.orient;
            for &pin in self.problem.nets.of_node(node) {
                let pin = pin as usize;
                self.pin[pin] = self.problem.pin_at(pin, step.at, step.orient);
            }
        }
    }

    /// Box of a net without the pins of one node; `None` when nothing is left.
    pub(crate) fn box_without(&mut self, net: usize, node: u32) -> Option<NetBox> {
        let nets = &self.problem.nets;
        let range = nets.pins(net);
        if range.len() > SMALL {
            let mut mine =
                nets.of_node(node as usize).iter().filter(|pin| range.contains(&(**pin as usize)));
            if mine.all(|pin| self.boxes[net].strictly_holds(self.pin[*pin as usize])) {
                return Some(self.boxes[net]);
            }
        }
        self.work += range.len() as u64;
        let mut rest = NetBox::EMPTY;
        for pin in range {
            if nets.node[pin] != node {
                rest.add(self.pin[pin]);
            }
        }
        (rest != NetBox::EMPTY).then_some(rest)
    }
}

fn scan(pins: &[Point]) -> NetBox {
    let mut net = NetBox::EMPTY;
    pins.iter().for_each(|p| net.add(*p));
    net
}
