//! From an RC network to a π model at the driver and an Elmore delay per load.
//!
//! The π model matches the first three moments of the driving-point admittance (P. R. O'Brien and
//! T. L. Savarino, "Modeling the driving-point characteristic of resistive interconnect for
//! accurate delay estimation", ICCAD 1989). With `Y(s) = y1 s + y2 s² + y3 s³ + …`:
//! far capacitance `y2² / y3`, near capacitance `y1 − y2² / y3`, resistance `−y3² / y2³`.
//!
//! The network is walked from the driver as a tree, depth first in the order of the resistors; a
//! resistor that leads back to a node already met is left out.

use super::{RcNet, RcNode};
use cellwright_db::PinId;

/// A driver's load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pi {
    /// Capacitance at the driver, pF.
    pub near: f32,
    /// Resistance, kΩ.
    pub r: f32,
    /// Capacitance behind the resistance, pF.
    pub far: f32,
}

impl Pi {
    /// All capacitance, pF.
    #[inline]
    pub fn total(&self) -> f64 {
        f64::from(self.near) + f64::from(self.far)
    }
}

/// The walk through a network, computed once for all edges and sides.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Nodes in the order met: (node, position of the parent, resistance to it in kΩ).
    order: Vec<(u32, u32, f64)>,
    seen: Vec<bool>,
    first: Vec<u32>,
    next: Vec<(u32, u32, f32)>,
    down: Vec<[f64; 3]>,
    delay: Vec<f64>,
}

impl Walk {
    /// Walks `net` from `driver`. `false` when the driver is no node of it.
    pub fn start(&mut self, net: &RcNet, driver: PinId) -> bool {
        self.order.clear();
        let Some(root) = net.nodes.iter().position(|node| *node == RcNode::Pin(driver)) else {
            return false;
        };
        let count = net.nodes.len();
        // Adjacency lists in the order of the resistors, each twice.
        self.first.clear();
        self.first.resize(count, u32::MAX);
        self.next.clear();
        for &(a, b, r) in net.res.iter().rev() {
            if a == b || a as usize >= count || b as usize >= count {
                continue;
            }
            for (from, to) in [(b, a), (a, b)] {
                let at = self.next.len() as u32;
                self.next.push((to, self.first[from as usize], r));
                self.first[from as usize] = at;
            }
        }
        self.seen.clear();
        self.seen.resize(count, false);
        self.seen[root] = true;
        self.order.push((root as u32, 0, 0.0));
        let mut stack = vec![(0_u32, self.first[root])];
        while let Some((parent, cursor)) = stack.last_mut() {
            if *cursor == u32::MAX {
                stack.pop();
                continue;
            }
            let (to, following, r) = self.next[*cursor as usize];
            *cursor = following;
            let parent = *parent;
            if std::mem::replace(&mut self.seen[to as usize], true) {
                continue;
            }
            stack.push((self.order.len() as u32, self.first[to as usize]));
            self.order.push((to, parent, f64::from(r)));
        }
        true
    }

    /// The π model when each node carries its own, its coupling and its pin's capacitance
    /// (`pin_cap`, pF) and the driver `extra` pF on top; afterwards [`Walk::elmore`].
    pub fn reduce(
        &mut self,
        net: &RcNet,
        coupling_factor: f64,
        extra: f64,
        mut pin_cap: impl FnMut(PinId) -> f64,
    ) -> Pi {
        let mut own = vec![0.0_f64; net.nodes.len()];
        for (own, cap) in own.iter_mut().zip(&net.cap) {
            *own = f64::from(*cap);
        }
        for &(node, cap) in &net.coupling {
            if let Some(own) = own.get_mut(node as usize) {
                *own += f64::from(cap) * coupling_factor;
            }
        }
        for (own, node) in own.iter_mut().zip(&net.nodes) {
            if let RcNode::Pin(pin) = node {
                *own += pin_cap(*pin);
            }
        }
        if let Some((root, ..)) = self.order.first() {
            own[*root as usize] += extra;
        }
        self.down.clear();
        self.down.extend(self.order.iter().map(|(node, ..)| [own[*node as usize], 0.0, 0.0]));
        for at in (1..self.order.len()).rev() {
            let (_, parent, r) = self.order[at];
            let [y1, y2, y3] = self.down[at];
            let up = [y1, y2 - r * y1 * y1, y3 - 2.0 * r * y1 * y2 + r * r * y1 * y1 * y1];
            for (sum, part) in self.down[parent as usize].iter_mut().zip(up) {
                *sum += part;
            }
        }
        self.delay.clear();
        self.delay.resize(self.order.len(), 0.0);
        for at in 1..self.order.len() {
            let (_, parent, r) = self.order[at];
            self.delay[at] = self.delay[parent as usize] + r * self.down[at][0];
        }
        let [y1, y2, y3] = self.down.first().copied().unwrap_or_default();
        if y2 == 0.0 || y3 == 0.0 {
            return Pi { near: y1 as f32, r: 0.0, far: 0.0 };
        }
        let far = y2 * y2 / y3;
        Pi { near: (y1 - far) as f32, r: (-y3 * y3 / (y2 * y2 * y2)) as f32, far: far as f32 }
    }

    /// Elmore delay of each pin met, ns, after [`Walk::reduce`].
    pub fn elmore<'a>(&'a self, net: &'a RcNet) -> impl Iterator<Item = (PinId, f64)> + 'a {
        self.order.iter().zip(&self.delay).filter_map(|((node, ..), delay)| {
            match net.nodes[*node as usize] {
                RcNode::Pin(pin) => Some((pin, *delay)),
                RcNode::Internal(_) => None,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cellwright_db::NetId;

    fn chain(parts: usize, r: f32, c: f32) -> RcNet {
        let mut nodes = vec![RcNode::Pin(PinId(0))];
        nodes.extend((1..parts as u32).map(RcNode::Internal));
        nodes.push(RcNode::Pin(PinId(1)));
        let mut cap = vec![0.0];
        cap.resize(parts + 1, c);
        let res = (0..parts as u32).map(|i| (i, i + 1, r)).collect();
        RcNet { net: NetId(0), nodes, cap, res, coupling: vec![] }
    }

    #[test]
    fn an_elmore_chain_has_its_closed_form() {
        // n equal sections: delay r c n (n + 1) / 2.
        let net = chain(10, 0.5, 0.02);
        let mut walk = Walk::default();
        assert!(walk.start(&net, PinId(0)));
        walk.reduce(&net, 1.0, 0.0, |_| 0.0);
        let delay = walk.elmore(&net).find(|(pin, _)| *pin == PinId(1)).unwrap().1;
        assert!((delay - 0.5 * 0.02 * 55.0).abs() < 1e-7, "{delay}");
    }

    #[test]
    fn one_section_is_its_own_pi_model() {
        let mut net = chain(1, 2.0, 0.3);
        net.cap[0] = 0.1;
        let mut walk = Walk::default();
        walk.start(&net, PinId(0));
        let pi = walk.reduce(&net, 1.0, 0.0, |pin| if pin == PinId(1) { 0.05 } else { 0.0 });
        assert!((pi.near - 0.1).abs() < 1e-6 && (pi.r - 2.0).abs() < 1e-5);
        assert!((pi.far - 0.35).abs() < 1e-6);
    }

    #[test]
    fn a_uniform_line_has_the_known_moments() {
        // A distributed line: near C/6, R 12/25, far 5/6 C (O'Brien and Savarino).
        let parts = 2000;
        let net = chain(parts, 1.0 / parts as f32, 1.0 / parts as f32);
        let mut walk = Walk::default();
        walk.start(&net, PinId(0));
        let pi = walk.reduce(&net, 1.0, 0.0, |_| 0.0);
        assert!((f64::from(pi.near) - 1.0 / 6.0).abs() < 1e-3, "{pi:?}");
        assert!((f64::from(pi.r) - 12.0 / 25.0).abs() < 1e-3);
        assert!((f64::from(pi.far) - 5.0 / 6.0).abs() < 1e-3);
    }

    #[test]
    fn loops_and_strays_do_no_harm() {
        let mut net = chain(3, 1.0, 0.1);
        net.res.push((3, 0, 1.0));
        net.res.push((2, 2, 1.0));
        net.res.push((9, 1, 1.0));
        let mut walk = Walk::default();
        assert!(walk.start(&net, PinId(0)));
        let pi = walk.reduce(&net, 1.0, 0.0, |_| 0.0);
        assert!((pi.total() - 0.3).abs() < 1e-6);
        assert_eq!(walk.elmore(&net).count(), 2);
        assert!(!walk.start(&net, PinId(7)));
    }
}
