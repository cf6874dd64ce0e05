//! Puts blocks together into a design of a given size.
//!
//! Every block takes words from the **pool**, which holds the primary inputs and the register outputs of
//! the blocks made before, and gives its registered outputs back. A word is drawn at a heavy-tailed
//! distance from the end of the pool, so most links are to recent blocks and some go far. What is left
//! unused at the end goes to output ports, folded by XOR where there are more signals than ports.
//!
//! Blocks are built while they fit; a last pipeline and a short delay line fill up to the exact count,
//! with the buffers, ties and clock buffers that [`crate::finish`] will add already counted.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::blocks::adder::{self, Carry};
use crate::blocks::cloud;
use crate::blocks::mesh::{self, Mesh};
use crate::blocks::multiplier::{self, Reduction};
use crate::blocks::regfile::{self, WritePort};
use crate::cells::Gate;
use crate::finish;
use crate::netlist::{NetId, Netlist};
use crate::spec::{Constants, Kind, Spec};

/// Signals that blocks may use.
struct Pool {
    nets: Vec<NetId>,
    used: Vec<bool>,
    /// Everything before this place is used.
    front: usize,
}

impl Pool {
    fn new(nets: Vec<NetId>) -> Self {
        let used = vec![false; nets.len()];
        Self { nets, used, front: 0 }
    }

    fn push(&mut self, word: &[NetId]) {
        self.nets.extend_from_slice(word);
        self.used.resize(self.nets.len(), false);
    }

    /// A word of `width` distinct signals (fewer if the pool is smaller): a run of neighbours, the best
    /// of four draws by how many of them are unused.
    fn take(&mut self, rng: &mut ChaCha8Rng, width: usize) -> Vec<NetId> {
        let width = width.min(self.nets.len());
        let last = self.nets.len() - width;
        let unused =
            |start: usize| self.used[start..start + width].iter().filter(|used| !**used).count();
        let mut best = (0, 0);
        for attempt in 0..4 {
            // The last draw looks at the oldest unused signals, so that none waits for ever.
            let start = if attempt == 3 {
                self.front.min(last)
            } else {
                let back = cloud::near(rng, 0, last / width.max(1) + 1).unwrap_or(0) * width;
                last - back.min(last)
            };
            let score = unused(start);
            if attempt == 0 || score > best.0 {
                best = (score, start);
            }
        }
        let range = best.1..best.1 + width;
        self.used[range.clone()].fill(true);
        while self.used.get(self.front) == Some(&true) {
            self.front += 1;
        }
        self.nets[range].to_vec()
    }

    fn unused(&self) -> impl Iterator<Item = NetId> + '_ {
        let rest = self.nets[self.front..].iter().zip(&self.used[self.front..]);
        rest.filter(|(_, used)| !**used).map(|(net, _)| *net)
    }
}

struct Composer<'a> {
    spec: &'a Spec,
    n: Netlist,
    rng: ChaCha8Rng,
    pool: Pool,
    blocks: usize,
    outputs: usize,
}

/// Builds the netlist of a valid `spec`, not yet buffered or sized.
pub(crate) fn compose(spec: &Spec) -> Netlist {
    let mut n = Netlist::new(spec.name.as_str());
    n.add_clock();
    n.add_reset();
    // Terminals grow as the root of the size, as for a whole chip of Rent exponent one half.
    let root = spec.cells.isqrt();
    let words = (root / 16).max(1);
    let width = (root / words).clamp(8, 32);
    let mut inputs = Vec::new();
    for i in 0..words {
        inputs.extend(n.add_input(format!("in{i}"), width));
    }
    let rng = ChaCha8Rng::seed_from_u64(spec.seed);
    let pool = Pool::new(inputs);
    let outputs = (words * width * 3 / 4).max(8);
    let mut composer = Composer { spec, n, rng, pool, blocks: 0, outputs };
    composer.run();
    composer.n
}

impl Composer<'_> {
    fn run(&mut self) {
        let target = self.spec.cells;
        let weights = self.spec.mix.weights();
        let total: f64 = weights.iter().sum();
        let mut spent = [0usize; 5];
        let mut gave_up = [false; 5];
        // Buffers grow with what is built, so the room is measured again as it shrinks.
        for part in [10, 25, 60] {
            let reserve = self.overhead() + (target / part).max(24);
            let enough = target.saturating_sub(reserve);
            while self.n.cell_count() < enough {
                let built = self.n.cell_count();
                // The kind that lags most behind its share.
                let lag = |k: usize| weights[k] / total * built.max(1) as f64 - spent[k] as f64;
                let Some(kind) = (0..5)
                    .filter(|k| weights[*k] > 0.0 && !gave_up[*k])
                    .max_by(|a, b| lag(*a).total_cmp(&lag(*b)).then(b.cmp(a)))
                else {
                    break;
                };
                let share = (weights[kind] / total * target as f64) as usize;
                // Small designs still get a whole block of the kinds that come in large pieces.
                let least = if Kind::ALL[kind] == Kind::Pipeline { 40 } else { 90 };
                if self.block(Kind::ALL[kind], (enough - built).min(share.max(least))) {
                    spent[kind] += self.n.cell_count() - built;
                } else {
                    gave_up[kind] = true;
                }
            }
        }
        // The rest, less a margin that the delay line takes up.
        let margin = (target / 200).max(3);
        let rest = target.saturating_sub(self.n.cell_count() + self.overhead() + margin);
        if rest >= 12 {
            self.pipeline(rest);
        }
        self.fold();
        let missing =
            target.saturating_sub(self.n.cell_count() + finish::overhead(&self.n, self.spec));
        if missing > 0 {
            self.delay_line(missing);
        }
    }

    /// Cells that folding the unused signals and buffering would add now.
    fn overhead(&self) -> usize {
        self.waiting() + finish::overhead(&self.n, self.spec)
    }

    fn waiting(&self) -> usize {
        self.pool.unused().count().saturating_sub(self.outputs)
    }

    fn group(&mut self, kind: &str) -> u32 {
        let group = self.n.begin_group(format!("{kind}{}", self.blocks));
        self.blocks += 1;
        group
    }

    fn word(&mut self, width: usize) -> Vec<NetId> {
        self.pool.take(&mut self.rng, width)
    }

    /// Builds a block of at most about `budget` cells; false if none fits.
    fn block(&mut self, kind: Kind, budget: usize) -> bool {
        match kind {
            Kind::Adder => self.adder(budget),
            Kind::Multiplier => self.multiplier(budget),
            Kind::RegisterFile => self.register_file(budget),
            Kind::Pipeline => {
                let size = self.rng.random_range(60..=1200).min(budget);
                size >= 30 && {
                    self.pipeline(size);
                    true
                }
            }
            Kind::Mesh => self.mesh(budget),
        }
    }

    fn adder(&mut self, budget: usize) -> bool {
        let carry = Carry::ALL[self.rng.random_range(0..4usize)];
        // Cells for each bit, registers included; a ripple chain stays short to keep its delay in line.
        let (per_bit, choices): (usize, &[usize]) = match carry {
            Carry::Ripple => (2, &[8, 6, 4]),
            Carry::KoggeStone => (16, &[64, 32, 24, 16, 8]),
            Carry::BrentKung => (9, &[64, 32, 24, 16, 8]),
            Carry::Sklansky => (11, &[64, 32, 24, 16, 8]),
        };
        let most = self.pool.nets.len();
        let fits: Vec<usize> =
            choices.iter().copied().filter(|w| per_bit * w <= budget && *w <= most).collect();
        if fits.is_empty() {
            return false;
        }
        let width = fits[self.rng.random_range(0..fits.len())];
        self.group("add");
        let a = self.word(width);
        let accumulate = self.rng.random_range(0..3u8) == 0;
        let constant = self.spec.constants != Constants::None && self.rng.random::<bool>();
        let carry_in = if constant { NetId::ONE } else { NetId::ZERO };
        let q: Vec<NetId> = (0..width).map(|_| self.n.net()).collect();
        let mut b = if accumulate { q.clone() } else { self.word(width) };
        if constant {
            b = b.iter().map(|net| self.n.gate(Gate::Inv, &[*net])).collect();
        }
        let (sum, out) = adder::add(&mut self.n, carry, &a, &b, carry_in, !accumulate);
        for (d, q) in sum.iter().zip(&q) {
            self.n.flop_into(*d, *q);
        }
        self.pool.push(&q);
        if let Some(out) = out {
            let q = self.n.flop(out);
            self.pool.push(&[q]);
        }
        true
    }

    fn multiplier(&mut self, budget: usize) -> bool {
        let fits: Vec<usize> = [32, 24, 16, 12, 8, 6, 4]
            .into_iter()
            .filter(|w| {
                // Products, their reduction, the registers and the last adder.
                let cells = if *w <= 4 { 50 } else { 2 * w * w + 20 * w };
                cells <= budget && *w <= self.pool.nets.len()
            })
            .collect();
        if fits.is_empty() {
            return false;
        }
        let width = fits[self.rng.random_range(0..fits.len().min(3))];
        self.group("mul");
        let a = self.word(width);
        let b = self.word(width);
        let reduction =
            if width <= 6 && self.rng.random() { Reduction::Array } else { Reduction::Dadda };
        let last =
            if width <= 4 { Carry::Ripple } else { Carry::ALL[self.rng.random_range(1..4usize)] };
        // A register row before the last adder keeps the delay in line with the other blocks.
        let split = width >= 6;
        let product = multiplier::multiply(&mut self.n, reduction, last, &a, &b, split);
        let q = self.n.register(&product);
        self.pool.push(&q);
        true
    }

    fn register_file(&mut self, budget: usize) -> bool {
        let fits: Vec<(usize, usize)> =
            [(5, 32), (5, 16), (4, 32), (4, 16), (4, 8), (3, 16), (3, 8), (2, 8), (2, 4)]
                .into_iter()
                .filter(|(k, width)| {
                    (4 * width + 3) << k <= budget && *width <= self.pool.nets.len()
                })
                .collect();
        if fits.is_empty() {
            return false;
        }
        let (bits, width) = fits[self.rng.random_range(0..fits.len().min(3))];
        self.group("rf");
        let data = self.word(width);
        let address = self.word(bits);
        let enable = self.word(1);
        let reads = [self.word(bits), self.word(bits)];
        let write = WritePort { data: &data, address: &address, enable: enable[0] };
        let ports: Vec<&[NetId]> = reads.iter().map(Vec::as_slice).collect();
        let gated = self.spec.gated_clocks;
        for word in regfile::register_file(&mut self.n, &write, &ports, gated) {
            let q = self.n.register(&word);
            self.pool.push(&q);
        }
        true
    }

    /// A pipeline of exactly `size` cells: about one register in five.
    fn pipeline(&mut self, size: usize) {
        self.group("pipe");
        let registers = (size / 5).max(2);
        let stages = (registers / 8).clamp(1, self.rng.random_range(2..=5));
        let width = (registers / stages).max(1);
        // Enough gates are needed to use every input.
        let fan_in = width.min(size / (3 * stages)).max(2);
        let inputs = self.word(fan_in);
        let depth = self.rng.random_range(4..=9).min((size / stages / 6).max(1));
        let q = cloud::pipeline(&mut self.n, &mut self.rng, &inputs, size, width, stages, depth);
        self.pool.push(&q);
    }

    fn mesh(&mut self, budget: usize) -> bool {
        let width = match budget {
            0..1000 => 4,
            1000..6000 => 8,
            6000..100_000 => 16,
            _ => 32,
        };
        let core = self.rng.random_range(8..=16) * width;
        let tiles = budget / Mesh::tile_cells(width, core);
        if tiles == 0 {
            return false;
        }
        let rows = tiles.isqrt().min(16);
        let columns = (tiles / rows).min(16);
        let prefix = format!("tile{}", self.blocks);
        self.blocks += 1;
        let shape = Mesh { rows, columns, width, core };
        let border: Vec<Vec<NetId>> =
            (0..shape.border_links()).map(|_| self.border_word(width)).collect();
        let leaving = mesh::mesh(&mut self.n, &mut self.rng, &prefix, shape, &border);
        for word in &leaving {
            self.pool.push(word);
        }
        true
    }

    /// A word of full width even from a pool that has less: the rest repeats.
    fn border_word(&mut self, width: usize) -> Vec<NetId> {
        let word = self.word(width);
        (0..width).map(|i| word[i % word.len()]).collect()
    }

    /// Sends every unused signal to an output port.
    fn fold(&mut self) {
        let mut loose: Vec<NetId> = self.pool.unused().collect();
        self.n.enter_group(0);
        while loose.len() > self.outputs {
            let excess = loose.len() - self.outputs;
            let mut next = Vec::with_capacity(loose.len());
            let mut rest = loose.as_slice();
            let mut merged = 0;
            while let [a, b, tail @ ..] = rest {
                if merged == excess {
                    break;
                }
                next.push(self.n.gate(Gate::Xor2, &[*a, *b]));
                merged += 1;
                rest = tail;
            }
            next.extend_from_slice(rest);
            loose = next;
        }
        // An input that nothing uses cannot be an output itself.
        let is_input: Vec<NetId> =
            self.n.ports.iter().flat_map(|p| p.bits.iter().copied()).collect();
        for net in &mut loose {
            if is_input.contains(net) {
                *net = self.n.gate(Gate::Buf, &[*net]);
            }
        }
        for (i, bits) in loose.chunks(32).enumerate() {
            self.n.add_output(format!("out{i}"), bits.to_vec());
        }
    }

    /// A delay line of exactly `cells` cells from some signal to a port of its own.
    fn delay_line(&mut self, cells: usize) {
        self.n.begin_group("delay");
        let mut net = self.word(1)[0];
        for i in 0..cells {
            net = if i % 4 == 3 { self.n.flop(net) } else { self.n.gate(Gate::Inv, &[net]) };
        }
        self.n.add_output("delayed", vec![net]);
        self.n.enter_group(0);
    }
}
