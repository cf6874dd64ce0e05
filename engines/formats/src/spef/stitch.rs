//! Putting a net's network together from the pieces that several modules' files hold.

use std::collections::HashMap;

use cellwright_sta::parasitics::{RcNet, RcNode};

/// A net's network while it grows, with the nodes at borders of modules by name.
#[derive(Debug)]
pub(super) struct Grown {
    pub(super) net: RcNet,
    pub(super) borders: Vec<(String, u32)>,
    /// (read, prefix) of the piece that came last, to tell a second read of a file from a second
    /// piece.
    pub(super) reads: Vec<(u32, u32)>,
}

impl Grown {
    /// Adds a piece: nodes that stand for the same pin or the same border become one.
    pub(super) fn merge(&mut self, piece: &RcNet, borders: &[(String, u32)]) {
        let mut pins = HashMap::new();
        for (index, node) in self.net.nodes.iter().enumerate() {
            if let RcNode::Pin(pin) = node {
                pins.insert(*pin, index as u32);
            }
        }
        let border_of: HashMap<u32, &str> =
            borders.iter().map(|(name, node)| (*node, name.as_str())).collect();
        let known: HashMap<String, u32> = self.borders.iter().cloned().collect();
        let mut map = Vec::with_capacity(piece.nodes.len());
        for (index, (node, cap)) in piece.nodes.iter().zip(&piece.cap).enumerate() {
            let border = border_of.get(&(index as u32)).copied();
            let same = match node {
                RcNode::Pin(pin) => pins.get(pin).copied(),
                RcNode::Internal(_) => border.and_then(|name| known.get(name).copied()),
            };
            let at = match same {
                Some(at) => at,
                None => {
                    self.net.nodes.push(*node);
                    self.net.cap.push(0.0);
                    let at = self.net.nodes.len() as u32 - 1;
                    if let Some(name) = border {
                        self.borders.push((name.to_owned(), at));
                    }
                    at
                }
            };
            self.net.cap[at as usize] += cap;
            map.push(at);
        }
        let new = |node: u32| map.get(node as usize).copied().unwrap_or(0);
        self.net.res.extend(piece.res.iter().map(|(a, b, r)| (new(*a), new(*b), *r)));
        self.net.coupling.extend(piece.coupling.iter().map(|(node, c)| (new(*node), *c)));
    }
}
