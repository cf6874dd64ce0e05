//! The generated gates compute what they should: adders add, multipliers multiply, files remember.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers may panic")]

use cellwright_designs::blocks::adder::{self, Carry};
use cellwright_designs::blocks::multiplier::{self, Reduction};
use cellwright_designs::blocks::regfile::{self, WritePort};
use cellwright_designs::check::check;
use cellwright_designs::finish;
use cellwright_designs::netlist::{NetId, Netlist};
use cellwright_designs::sim::Simulator;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn every_adder_adds_at_every_width() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for carry in Carry::ALL {
        for width in [1, 2, 3, 5, 8, 13, 16, 17, 31, 32, 64] {
            for (kind, carry_in) in ["none", "one", "port"].into_iter().zip(0..3) {
                for keep in [true, false] {
                    let mut n = Netlist::new("t");
                    let a = n.add_input("a", width);
                    let b = n.add_input("b", width);
                    let c = match carry_in {
                        0 => NetId::ZERO,
                        1 => NetId::ONE,
                        _ => n.add_input("c", 1)[0],
                    };
                    let (mut sum, out) = adder::add(&mut n, carry, &a, &b, c, keep);
                    assert_eq!(sum.len(), width);
                    sum.extend(out);
                    n.add_output("s", sum.clone());
                    let what = format!("{carry:?} {width} {kind} {keep}");
                    check(&n).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let mut sim = Simulator::new(&n).unwrap();
                    let mut expected = Vec::new();
                    for pattern in 0..64 {
                        let limit = u128::MAX >> (128 - width);
                        // Corners first: all ones carry through the whole word.
                        let (x, y) = match pattern {
                            0 => (limit, limit),
                            1 => (limit, 1),
                            2 => (0, 0),
                            _ => (rng.random::<u128>() & limit, rng.random::<u128>() & limit),
                        };
                        let z = match carry_in {
                            0 => 0,
                            1 => 1,
                            _ => u128::from(pattern % 2),
                        };
                        sim.set_word(&a, pattern, x);
                        sim.set_word(&b, pattern, y);
                        if carry_in == 2 {
                            sim.set_word(&[c], pattern, z);
                        }
                        let bits = if keep { width + 1 } else { width };
                        expected.push((x + y + z) & (u128::MAX >> (128 - bits)));
                    }
                    sim.settle();
                    for (pattern, want) in expected.iter().enumerate() {
                        assert_eq!(sim.word(&sum, pattern as u32), *want, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn every_multiplier_multiplies() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for reduction in [Reduction::Array, Reduction::Dadda] {
        for (wa, wb) in [(1, 1), (2, 2), (2, 5), (4, 4), (6, 6), (7, 3), (8, 8), (16, 16), (32, 32)]
        {
            for last in Carry::ALL {
                for split in [false, true] {
                    let mut n = Netlist::new("t");
                    let a = n.add_input("a", wa);
                    let b = n.add_input("b", wb);
                    let product = multiplier::multiply(&mut n, reduction, last, &a, &b, split);
                    let what = format!("{reduction:?} {wa}x{wb} {last:?} {split}");
                    // The narrowest have no top bit at all: one times one fits in one.
                    assert!(product.len() == wa + wb || wa == 1, "{what}");
                    n.add_output("p", product.clone());
                    check(&n).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let mut sim = Simulator::new(&n).unwrap();
                    let mut expected = Vec::new();
                    for pattern in 0..64 {
                        let limit = |w: usize| (1u128 << w) - 1;
                        let (x, y) = match pattern {
                            0 => (limit(wa), limit(wb)),
                            _ => {
                                (rng.random::<u128>() & limit(wa), rng.random::<u128>() & limit(wb))
                            }
                        };
                        sim.set_word(&a, pattern, x);
                        sim.set_word(&b, pattern, y);
                        expected.push(x * y);
                    }
                    sim.settle();
                    if split {
                        sim.clock();
                    }
                    for (pattern, want) in expected.iter().enumerate() {
                        assert_eq!(sim.word(&product, pattern as u32), *want, "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_register_file_remembers() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for gated in [false, true] {
        let (bits, width) = (3, 5);
        let mut n = Netlist::new("t");
        let data = n.add_input("d", width);
        let address = n.add_input("wa", bits);
        let enable = n.add_input("we", 1);
        let read = [n.add_input("ra", bits), n.add_input("rb", bits)];
        let write = WritePort { data: &data, address: &address, enable: enable[0] };
        let out = regfile::register_file(&mut n, &write, &[&read[0], &read[1]], gated);
        n.add_output("qa", out[0].clone());
        n.add_output("qb", out[1].clone());
        check(&n).unwrap();
        let mut sim = Simulator::new(&n).unwrap();
        let mut memory = vec![[0u128; 8]; 64];
        for _ in 0..100 {
            let mut reads = Vec::new();
            for pattern in 0..64 {
                let (d, at) = (rng.random_range(0..32u128), rng.random_range(0..8usize));
                let (on, r) = (rng.random::<bool>(), [0, 1].map(|_| rng.random_range(0..8usize)));
                sim.set_word(&data, pattern, d);
                sim.set_word(&address, pattern, at as u128);
                sim.set_word(&enable, pattern, u128::from(on));
                sim.set_word(&read[0], pattern, r[0] as u128);
                sim.set_word(&read[1], pattern, r[1] as u128);
                if on {
                    memory[pattern as usize][at] = d;
                }
                reads.push(r);
            }
            sim.settle();
            sim.clock();
            for (pattern, r) in reads.iter().enumerate() {
                for port in 0..2 {
                    assert_eq!(sim.word(&out[port], pattern as u32), memory[pattern][r[port]]);
                }
            }
        }
        assert!(
            finish::clock_nets(&n, &n.sinks()).iter().filter(|c| **c).count()
                == 1 + 8 * usize::from(gated)
        );
    }
}
